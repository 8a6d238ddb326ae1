/** Trouble is an error. Its end is not. */
export type Level = 'error' | 'info'

/** Takes a line for the log. */
export type Tell = (line: string, level: Level) => void
