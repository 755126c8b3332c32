#!/bin/sh
# Functions and names that the scripts of this folder share; they load it with: . "$(dirname -- "$0")/common.sh"
# shellcheck disable=SC2034 # for the scripts
node=${SLURMD_NODENAME:-$(uname -n)} # the node's name, in messages and in names of files

# devices_of LIST: prints the indices of the GPUs in LIST, the output of `bankline devices`; of devices of any type if
# ANY_DEVICE is not empty.
devices_of() {
    any=${ANY_DEVICE:+.}
    echo "$1" | awk -v type="${any:-^GPU}" '/^[0-9]+:[0-9]+ /{i = $1} $1 == "device" && $2 ~ type{print i}'
}
