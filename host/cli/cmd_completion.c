/* `bankline completion`: lists the words that a shell may offer, and prints the shell scripts that
 * ask for these words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "cli/command.h"
#include "model/launch.h"
#include "model/machine.h"
#include "report/layout.h"
#include "suites.h"

/* The word that is being typed. */
struct typed {
    FILE *file;
    const struct bl_commands *commands;
    const char *word;   /* the part typed so far; for "--name=value" only the value */
    const char *before; /* text whose first before_length bytes, such as "--name=", are put before
                           each offered word */
    size_t before_length;
};

static void offer(const struct typed *typed, const char *word, const char *meaning)
{
    if (strncmp(word, typed->word, strlen(typed->word)) != 0)
        return;
    bl_print(typed->file, "%.*s%s", (int)typed->before_length, typed->before, word);
    fputc('\t', typed->file);
    /* bl_print replaces control characters, which a driver's text may contain */
    bl_print(typed->file, "%s\n", meaning);
}

static void offer_cases(const struct typed *typed)
{
    const struct bl_catalogue catalogue = bl_suites();
    for (size_t s = 0; s < catalogue.count; s++) {
        const struct bl_suite *suite = catalogue.suites[s];
        offer(typed, suite->name, suite->title);
        for (size_t c = 0; c < suite->count; c++)
            offer(typed, suite->cases[c].id, suite->cases[c].title);
    }
}

static void offer_machines(const struct typed *typed)
{
    size_t count;
    const struct bl_machine *machines = bl_machines(&count);
    for (size_t i = 0; i < count; i++)
        offer(typed, machines[i].name, machines[i].title);
}

static void offer_devices(const struct typed *typed)
{
    struct bl_device *devices;
    size_t count;
    if (bl_devices_list(&devices, &count, NULL) != BL_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        char index[32];
        snprintf(index, sizeof index, "%u:%u", devices[i].platform_index, devices[i].device_index);
        offer(typed, index, devices[i].name);
    }
    free(devices);
}

static void offer_types(const struct typed *typed)
{
    char name[16];
    for (size_t i = 0; bl_type_name_at(i, name); i++)
        offer(typed, name, "");
}

/* Offers "cache", and the names of the built-in machines' memory levels, each name once. */
static void offer_levels(const struct typed *typed)
{
    const char *names[32] = {"cache"};
    size_t count, used = 1;
    const struct bl_machine *machines = bl_machines(&count);
    for (size_t i = 0; i < count * BL_LEVELS && used < sizeof names / sizeof *names; i++) {
        const char *name = machines[i / BL_LEVELS].levels[i % BL_LEVELS].name;
        size_t k = 0;
        while (k < used && strcmp(names[k], name) != 0)
            k++;
        if (k == used && *name)
            names[used++] = name;
    }
    for (size_t i = 0; i < used; i++)
        offer(typed, names[i], i == 0 ? "the compute unit's cache" : "");
}

static void offer_shapes(const struct typed *typed)
{
    static const char *const shapes[] = {"8x1",   "8x2",  "8x4",  "8x8",  "16x1",  "16x2",
                                         "16x16", "32x1", "32x8", "64x1", "128x1", "256x1"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        offer(typed, shapes[i], "");
}

static void offer_tables(const struct typed *typed)
{
    offer(typed, "random:", "random:N[:SEED], pseudo-random integers below N");
    offer(typed,
          "permutation:", "permutation:N[:SEED], the integers below N in pseudo-random order");
}

static void offer_commands(const struct typed *typed, const struct bl_command *const commands[])
{
    for (; *commands; commands++)
        offer(typed, bl_command_word(*commands), (*commands)->summary);
}

static void offer_value(const struct typed *typed, enum bl_completion completes,
                        const char *const words[])
{
    static void (*const offers[])(const struct typed *) = {
        [BL_COMPLETE_CASES] = offer_cases,     [BL_COMPLETE_MACHINES] = offer_machines,
        [BL_COMPLETE_DEVICES] = offer_devices, [BL_COMPLETE_TYPES] = offer_types,
        [BL_COMPLETE_LEVELS] = offer_levels,   [BL_COMPLETE_SHAPES] = offer_shapes,
        [BL_COMPLETE_TABLES] = offer_tables,
    };
    if (completes < sizeof offers / sizeof *offers && offers[completes])
        offers[completes](typed);
    if (completes == BL_COMPLETE_FILES || completes == BL_COMPLETE_MACHINES ||
        completes == BL_COMPLETE_TABLES)
        fputs(":files\n", typed->file);
    if (completes == BL_COMPLETE_FOLDERS)
        fputs(":folders\n", typed->file);
    if (completes == BL_COMPLETE_COMMANDS) {
        offer_commands(typed, typed->commands->all);
        offer(typed, "columns", "the columns of the CSV");
        offer(typed, "words", "the terms of tables and messages");
    }
    for (; completes == BL_COMPLETE_WORDS && *words; words++)
        offer(typed, *words, "");
}

static void offer_option_value(struct typed *typed, const struct bl_option *option)
{
    const char *comma = option->is_list ? strrchr(typed->word, ',') : NULL;
    if (comma) { /* put the earlier elements of the list before each offered word */
        typed->before = typed->before_length > 0 ? typed->before : typed->word;
        typed->word = comma + 1;
        typed->before_length = (size_t)(typed->word - typed->before);
    }
    offer_value(typed, option->completes, option->words);
}

/* Finds the option that a word such as "--name" or "--name=value" names. Returns false if there is
 * no such option. */
static bool find_option(const struct bl_command *command, const char *word,
                        struct bl_option *option)
{
    const size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    for (size_t i = 0; length > 0 && bl_command_option(command, i, option); i++)
        if (strlen(option->name) == length && strncmp(option->name, word + 2, length) == 0)
            return true;
    return false;
}

static void offer_options(const struct typed *typed, const struct bl_command *command)
{
    struct bl_option option;
    for (size_t i = 0; bl_command_option(command, i, &option); i++) {
        char name[64];
        snprintf(name, sizeof name, "--%s", option.name);
        offer(typed, name, option.help);
    }
    offer(typed, "--help", "help");
}

/* Offers completions of the last of `words`, which are the words after the command's name. */
static void complete_word(struct typed *typed, const struct bl_command *command,
                          const char *const words[], size_t count)
{
    size_t arguments = 0;
    bool is_ended = false; /* whether "--" has ended the options */
    struct bl_option option = {0};
    for (size_t i = 0; i + 1 < count; i++) {
        const bool is_option = !is_ended && find_option(command, words[i], &option);
        if (is_option && option.value && !strchr(words[i], '=')) { /* the next word is the option's
                                                                      value */
            if (++i + 1 < count)
                continue;
            offer_option_value(typed, &option);
            return;
        }
        arguments += is_ended || words[i][0] != '-';
        is_ended |= strcmp(words[i], "--") == 0;
    }
    const char *value = strchr(typed->word, '=');
    if (!is_ended && value && find_option(command, typed->word, &option) && option.value) {
        typed->before = typed->word;
        typed->word = value + 1;
        typed->before_length = (size_t)(typed->word - typed->before);
        offer_option_value(typed, &option);
    } else if (!is_ended && typed->word[0] == '-') {
        offer_options(typed, command);
    } else if (arguments < command->max_arguments) {
        offer_value(typed,
                    arguments < command->min_arguments ? command->completes
                                                       : command->completes_more,
                    command->argument_words);
    }
}

/* Writes the completions of the last word, which may be empty. `words` are the words after the
 * program's name. Each completion is a line: the word, a tab, its meaning. The lines ":files" and
 * ":folders" ask the shell to add matching files or folders. Writes nothing if there is no
 * completion. */
static void complete(FILE *file, const struct bl_commands *commands, const char *const words[],
                     size_t count)
{
    if (count == 0)
        return;
    struct typed typed = {
        .file = file, .commands = commands, .word = words[count - 1], .before = ""};
    size_t used;
    const struct bl_command *command = bl_command_named(commands, words, count - 1, &used);
    if (count == 1) {
        offer_commands(&typed, commands->all);
        if (typed.word[0] == '-') {
            offer(&typed, "--help", "help");
            offer(&typed, "--version", "the version");
        }
    } else if (command == commands->help && count > 2) {
        command = bl_command_named(commands, words + 1, count - 2, &used);
        if (command && command->actions && used == count - 2)
            offer_commands(&typed, command->actions);
    } else if (command && command->actions && used == count - 1) {
        offer_commands(&typed, command->actions);
    } else if (command && !command->actions) {
        complete_word(&typed, command, words + used, count - used);
    }
}

/* The shell scripts. They ask the program for words, and let the shell list files and folders. */

/* bash breaks words at ':' and '='. So the script joins the parts of each word, and removes from
 * each completion everything before the last part. */
static const char bash_script[] =
    "# bash completion for bankline; made by 'bankline completion bash'.\n"
    "_bankline() {\n"
    "    local word line joined cur=${COMP_WORDS[COMP_CWORD]} glued='' IFS=$'\\n' program=$1\n"
    "    local -a words=()\n"
    "    [[ ${1##*/} == bankline-nightly ]] && program=${1%-nightly} words=(run)\n"
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
    "    done < <(\"$program\" completion words -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _bankline bankline bankline-nightly\n";

static const char zsh_script[] =
    "#compdef bankline bankline-nightly\n"
    "# zsh completion for bankline; made by 'bankline completion zsh'.\n"
    "_bankline() {\n"
    "    local line\n"
    "    local program=${(Q)words[1]}\n"
    "    local -a found given\n"
    "    given=(\"${(@Q)words[2,CURRENT]}\")\n"
    "    if [[ ${program:t} == bankline-nightly ]]; then\n"
    "        program=${program%-nightly}\n"
    "        given=(run \"${(@)given}\")\n"
    "    fi\n"
    "    for line in \"${(@f)$(\"$program\" completion words -- \"${(@)given}\" 2>/dev/null)}\"; "
    "do\n"
    "        case $line in\n"
    "            :files) compset -P '--*='; _files ;;\n"
    "            :folders) compset -P '--*='; _files -/ ;;\n"
    "            ?*) found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#found )) && _describe bankline found\n"
    "}\n"
    "if [[ $funcstack[1] == _bankline ]]; then _bankline \"$@\"; else compdef _bankline bankline "
    "bankline-nightly; fi\n";

static const char fish_script[] =
    "# fish completion for bankline; made by 'bankline completion fish'.\n"
    "function __bankline_complete\n"
    "    set -l words (commandline -opc)\n"
    "    if string match -q -- '*bankline-nightly' $words[1]\n"
    "        set words (string replace -r -- '-nightly$' '' $words[1]) run $words[2..-1]\n"
    "    end\n"
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
    "complete -c bankline -f -a '(__bankline_complete)'\n"
    "complete -c bankline-nightly -f -a '(__bankline_complete)'\n";

static const char *const kinds[] = {"bash", "zsh", "fish", NULL};

static enum bl_status run(const void *settings, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    (void)settings;
    static const char *const scripts[] = {bash_script, zsh_script, fish_script};
    if (strcmp(arguments->words[0], "words") == 0) {
        complete(stdout, arguments->commands, arguments->words + 1, arguments->count - 1);
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
    .summary = "print the completion script for a shell",
    .description =
        "Prints a script that makes the shell complete commands, options and their values, such as "
        "cases, machines and files. The script runs 'bankline completion words -- WORD...', which "
        "lists the completions of the last WORD.",
    .examples = {"bankline completion bash >~/.local/share/bash-completion/completions/bankline",
                 "bankline completion words -- run local/"},
    .min_arguments = 1,
    .max_arguments = SIZE_MAX,
    .completes = BL_COMPLETE_WORDS,
    .argument_words = kinds,
    .run = run,
};
