/** Attempts to sign in of one origin: a browser or a place as an account, a network, an account, or all strangers. */
export type AttemptCount = {
  origin: string
  /** Attempts since the last success. Each is counted before its password is checked. */
  failures: number
  /** When the last attempt began, in milliseconds since the epoch. */
  at: number
  /** When somebody last signed in from there; null if nobody has. */
  signedInAt: number | null
}
