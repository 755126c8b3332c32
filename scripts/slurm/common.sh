#!/bin/sh
# Functions and names that the scripts of this folder share; they load it with: . "$(dirname -- "$0")/common.sh"
# shellcheck disable=SC2034 # for the scripts
node=${SLURMD_NODENAME:-$(uname -n)} # the node's name, in messages and in names of files

# indices LIST TYPE: prints the indices of the devices in LIST, the output of `bankline devices`, whose type matches.
indices() { echo "$1" | awk -v type="$2" '/^[0-9]+:[0-9]+ /{i = $1} $1 == "device" && $2 ~ type{print i}'; }
