/** One thing that `ccm init` or `ccm uninstall` would do, or does. Nothing is done before `apply`. */
export interface Change {
  /** One line: `write ~/x`. */
  readonly what: string;
  /** The same when it has happened: `wrote ~/x`. */
  readonly done: string;
  apply(): void | Promise<void>;
}
