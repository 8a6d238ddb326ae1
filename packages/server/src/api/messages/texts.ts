import type { RefusalMessage } from '../refusal.ts'

type Parameters<Key> = Omit<Extract<RefusalMessage, { key: Key }>, 'key'>

/** The messages of one language, as functions of their parameters. */
export type Messages = {
  readonly [Key in RefusalMessage['key']]: (of: Parameters<Key>) => string
}
