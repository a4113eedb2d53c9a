/** A path as a person writes it: `~` for the home directory. */
export function homeRelative(file: string, home: string): string {
  return file === home || file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
