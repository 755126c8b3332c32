#include <stdio.h>
#include <string.h>

#include "cli/complete.h"

/* The scripts ask the program for the words, and leave files and folders to the shell. */

/* bash breaks words at ':' and '=': they are put together again, and what stands before the last
 * part is taken off the answers. */
static const char bash_script[] =
    "# bash completion for bankline; made by 'bankline completion bash'.\n"
    "_bankline() {\n"
    "    local word line joined cur=${COMP_WORDS[COMP_CWORD]} glued='' IFS=$'\\n'\n"
    "    local -a words=()\n"
    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD}\"; do\n"
    "        case $word in [:=]*) joined=1 ;; *) joined=$glued ;; esac\n"
    "        case $word in *[:=]) glued=1 ;; *) glued='' ;; esac\n"
    "        word=${word#[\\'\\\"]}\n"
    "        if [[ $joined && ${#words[@]} -gt 0 ]]; then\n"
    "            words[${#words[@]}-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    case $cur in [:=]) cur='' ;; esac\n"
    "    cur=${cur#[\\'\\\"]}\n"
    "    local typed=${words[${#words[@]}-1]}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "            :files) mapfile -tO ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "            :folders) mapfile -tO ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
    "            *) line=${line%%$'\\t'*}; COMPREPLY+=(\"${line#\"${typed%\"$cur\"}\"}\") ;;\n"
    "        esac\n"
    "        [[ $line == :* ]] && compopt -o filenames 2>/dev/null\n"
    "    done < <(\"$1\" completion words -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _bankline bankline\n";

static const char zsh_script[] =
    "#compdef bankline\n"
    "# zsh completion for bankline; made by 'bankline completion zsh'.\n"
    "_bankline() {\n"
    "    local line\n"
    "    local -a found\n"
    "    for line in \"${(@f)$(\"${(Q)words[1]}\" completion words -- \"${(@Q)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "            :files) compset -P '--*='; _files ;;\n"
    "            :folders) compset -P '--*='; _files -/ ;;\n"
    "            ?*) found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#found )) && _describe bankline found\n"
    "}\n"
    "if [[ $funcstack[1] == _bankline ]]; then _bankline \"$@\"; else compdef _bankline bankline; "
    "fi\n";

static const char fish_script[] =
    "# fish completion for bankline; made by 'bankline completion fish'.\n"
    "function __bankline_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l typed (commandline -ct)\n"
    "    set -l before (string match -r -- '^--[^=]*=' \"$typed\")\n"
    "    set -l value (string replace -r -- '^--[^=]*=' '' \"$typed\")\n"
    "    for line in ($words[1] completion words -- $words[2..-1] \"$typed\" 2>/dev/null)\n"
    "        switch $line\n"
    "            case :files\n"
    "                printf '%s\\n' \"$before\"(complete -C \"'' $value\")\n"
    "            case :folders\n"
    "                printf '%s\\n' \"$before\"(complete -C \"'' $value\" | string match -r -- "
    "'^[^\\t]*/(?:\\t.*)?$')\n"
    "            case '*'\n"
    "                printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c bankline -f -a '(__bankline_complete)'\n";

static const char *const kinds[] = {"bash", "zsh", "fish", NULL};

static enum bl_status run(const void *settings, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    (void)settings;
    static const char *const scripts[] = {bash_script, zsh_script, fish_script};
    if (strcmp(arguments->words[0], "words") == 0) {
        bl_complete(stdout, arguments->words + 1, arguments->count - 1);
        return BL_OK;
    }
    if (arguments->count > 1)
        return bl_fail(error, BL_USAGE, "unexpected argument '%s'; usage: bankline completion %s",
                       arguments->words[1], arguments->words[0]);
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        if (strcmp(arguments->words[0], kinds[i]) == 0) {
            fputs(scripts[i], stdout);
            return BL_OK;
        }
    return bl_fail(error, BL_USAGE, "unknown shell '%s'; expected bash, zsh or fish",
                   arguments->words[0]);
}

const struct bl_command bl_command_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "print the completion script of a shell",
    .description = "Prints a script for the shell to read, after which commands, options, cases, "
                   "machines, devices and types are completed. The script asks 'bankline "
                   "completion words -- WORD...' what the last WORD of a command line can become.",
    .examples = {"bankline completion bash >~/.local/share/bash-completion/completions/bankline",
                 "bankline completion words -- run local/"},
    .min_arguments = 1,
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_WORDS,
    .argument_words = kinds,
    .run = run,
};
