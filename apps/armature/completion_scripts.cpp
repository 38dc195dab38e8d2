// What a shell must read so that it asks the program for completions.
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "help.hpp"

namespace armature::app {

namespace {

constexpr const char* bash_script = R"bash(# Completion of armature for bash: the program itself says what fits.
_armature() {
  local IFS=$'\n' word answer files list=() i glue=
  for ((i = 1; i <= COMP_CWORD; i++)); do # readline parts words at '=' and ':'; put them together again
    word=${COMP_WORDS[i]}
    if [[ ${#list[@]} -gt 0 && ( $glue || $word == [=:]* ) ]]; then list[-1]+=$word; else list+=("$word"); fi
    [[ $word == *[=:] ]] && glue=1 || glue=
  done
  local typed=${list[-1]} program=${COMP_WORDS[0]/#\~/$HOME}
  answer=$("$program" help --complete "${list[@]}" 2>/dev/null) || return
  files=${answer%%$'\n'*}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do [[ $word ]] && COMPREPLY+=("$word"); done <<<"${answer#"$files"}"
  case $files in
    folders) COMPREPLY+=($(compgen -d -- "$typed")) ;;
    files) COMPREPLY+=($(compgen -f -- "$typed")) ;;
    files\ *) # files with these endings, and the folders that may hold them
      local ending endings=${files#files }
      COMPREPLY+=($(compgen -d -- "$typed"))
      for ending in ${endings// /$'\n'}; do COMPREPLY+=($(compgen -f -X "!*.$ending" -- "$typed")); done ;;
  esac
  [[ $files != none && ${#COMPREPLY[@]} -gt 0 ]] && compopt -o filenames 2>/dev/null
  [[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *[=.] ]] && compopt -o nospace 2>/dev/null
  if [[ $typed == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then # readline replaces only what follows the last of them
    word=${typed%"${typed##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$word"}")
  fi
}
complete -F _armature armature
)bash";

constexpr const char* zsh_script = R"zsh(#compdef armature
# Completion of armature for zsh: the program itself says what fits.
_armature() {
  local -a answer plain open
  local line word program=${~words[1]}
  answer=("${(@f)$("$program" help --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}") || return 1
  for line in "${(@)answer[2,-1]}"; do
    word=${line%%$'\t'*}
    [[ -z $word ]] && continue
    line=${line#*$'\t'}
    line=${word//:/\\:}${line:+:$line}
    if [[ $word == *[=.] ]]; then open+=("$line"); else plain+=("$line"); fi
  done
  (( $#plain )) && _describe -V armature plain
  (( $#open )) && _describe -V armature open -S ''
  case $answer[1] in
    folders) _files -/ ;;
    files) _files ;;
    files\ *) _files -g "*.(${${answer[1]#files }// /|})" ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _armature "$@"; else compdef _armature armature; fi
)zsh";

constexpr const char* fish_script = R"fish(# Completion of armature for fish: the program itself says what fits.
function __armature_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answer ($words[1] help --complete $words[2..-1] 2>/dev/null)
    or return
    for line in $answer[2..-1]
        echo $line
    end
    switch "$answer[1]"
        case folders
            __fish_complete_directories (commandline -ct)
        case 'files*'
            set -l endings (string split ' ' -- $answer[1])[2..-1]
            if test (count $endings) -eq 0
                __fish_complete_path (commandline -ct)
            else
                for ending in $endings
                    __fish_complete_suffix ".$ending" | string match -r '.*(?:/|\.'$ending')(?:\t.*)?$'
                end
            end
    end
end
complete -c armature -f -a '(__armature_complete)'
)fish";

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script;
  if (shell == "zsh") return zsh_script;
  if (shell == "fish") return fish_script;
  throw Error("no completion for '" + printable(shell) + "'", "bash, zsh or fish");
}

}  // namespace armature::app
