/** For fish, which yargs writes no script for. The program itself completes, with descriptions in the form that it has for zsh. */
export const fishCompletion = `# ccm completion for fish: ccm completion fish > ~/.config/fish/completions/ccm.fish
complete -c ccm -f -a '(env ZSH_NAME=zsh ccm --get-yargs-completions (commandline -opc) (commandline -ct) | string replace : \\t)'
`;
