# Completion for bash: verbs, the options that each verb's --help names, saved bugs, and the program after --.
_heddle() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      # What follows is the program's.
      mapfile -t COMPREPLY < <(if ((i + 1 == COMP_CWORD)); then compgen -c -f -- "$word"; else compgen -f -- "$word"; fi)
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "debug run find check record recover replay verify emit-test bisect suggest simplify reduce isolate why explain report races list show trust doctor test merge submit status --help --version" -- "$word")
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --format ]]; then
    mapfile -t COMPREPLY < <(compgen -W "html sarif junit perfetto ctest gtest catch2 shell" -- "$word")
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --carrier ]]; then
    mapfile -t COMPREPLY < <(compgen -W "fiber kernel" -- "$word")
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --points ]]; then
    mapfile -t COMPREPLY < <(compgen -W "sync atomics racy all functions" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" "$verb" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u) --" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$(ls .heddle/bugs 2>/dev/null)" -- "$word")
  fi
}
complete -F _heddle heddle
