#!/bin/sh
# mark.sh MARKS FOLDER: a line for each scenario of FOLDER, with how many questions of MARKS hold, and how many of their cases:
# a question is one mark, at however many points of a sweep it is asked. What each run says, and its JUnit file, go to the
# folder `marked`.
mkdir -p marked
count() { sed -n "s/.*<testsuite [^>]*$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }
property() { sed -n "s/.*<property name=\"$1\" value=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }
printf '%-20s %7s %7s  %s\n' name marks cases 'what is to be read'
for file in "$2"/*.toml; do
  name=$(basename "$file" .toml)
  xml=marked/$name.xml
  farpath run "$file" --expect "$1" --marks-only --junit "$xml" > "marked/$name.txt" 2>&1
  case $? in
    0|1|4) all=$(count tests "$xml")
           lost=$(($(count failures "$xml") + $(count errors "$xml") + $(count skipped "$xml")))
           asked=$(property questions "$xml")
           held=$(property questions_held "$xml")
           printf '%-20s %7s %7s  %s\n' "$name" "${held:-0}/${asked:-0}" "$((all - lost))/$all" "marked/$name.txt" ;;
    *) printf '%-20s %7s %7s  %s\n' "$name" none none "$(grep -m 1 '^error' "marked/$name.txt")" ;;
  esac
done
