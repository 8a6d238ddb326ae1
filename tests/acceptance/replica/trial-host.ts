/** The server of a trial, with its clock and the operator's commands. */
export type TrialHost = {
  /** The present base addresses of its listeners. */
  readonly api: string
  readonly feed: string
  readonly admin: string
  /** The header with which a program manages everything. */
  readonly operator: Readonly<Record<string, string>>
  /** The server's time, in milliseconds since the epoch. */
  now(): number
  /** Makes room in the rate window of an organization for one request. */
  admit(organization: number): Promise<void>
  /** Lets time pass, if the clock can be handed. */
  letPass(ms: number): void
  /** Does some of the requested deletions of positions and folds, or all of them. A server of its own does them automatically. */
  fold(slices: number): Promise<void>
  /** Derives some slices of an organization's records, or all of them. A server of its own does them automatically. */
  derive(organization: number, slices: number): Promise<void>
  /** Deletes what has expired: positions, and changes from the log. Returns whether the log may be shorter. */
  purge(): Promise<boolean>
  /** Packs all positions of an organization that fill small blocks. */
  pack(organization: number): Promise<void>
  restart(): Promise<void>
  /** Makes a copy of the data to restore later. */
  backUp(): Promise<Backup>
  /** Continues from the backup, as after a loss of the data. */
  restore(backup: Backup): Promise<void>
  /** Continues from a copy that `fleetgate copy` made in another place. */
  move(): Promise<void>
  /** The logged failures since the last call. */
  failures(): string[]
  close(): Promise<void>
}

/** A folder, or the URL of a database. */
export type Backup = { place: string }
