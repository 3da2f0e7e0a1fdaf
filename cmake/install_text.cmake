# Part of the installation: the installed program's manual pages, and its completions where the shells look for them.
# Given: program, text (a folder to write to), completions (share/), manuals (share/man/man1).

# write_text(FILE ARGUMENT...): what the program prints.
function(write_text file)
    execute_process(COMMAND ${program} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${text})
write_text(${text}/sbdl --completions bash)
write_text(${text}/_sbdl --completions zsh)
write_text(${text}/sbdl.fish --completions fish)
file(INSTALL ${text}/sbdl DESTINATION ${completions}/bash-completion/completions)
file(INSTALL ${text}/_sbdl DESTINATION ${completions}/zsh/site-functions)
file(INSTALL ${text}/sbdl.fish DESTINATION ${completions}/fish/vendor_completions.d)

write_text(${text}/sbdl.1 --man)
file(INSTALL ${text}/sbdl.1 DESTINATION ${manuals})
file(STRINGS ${text}/sbdl.1 names REGEX "^.fB[a-z]+.fR$")
foreach(name IN LISTS names)
    string(REGEX REPLACE "^.fB([a-z]+).fR$" "\\1" verb ${name})
    write_text(${text}/sbdl-${verb}.1 --man ${verb})
    file(INSTALL ${text}/sbdl-${verb}.1 DESTINATION ${manuals})
endforeach()
