import type { RefusalMessage } from '../../domain/refusal.ts'

type Parameters<Key> = Omit<Extract<RefusalMessage, { key: Key }>, 'key'>

/** One language: what each message says, given what it speaks of. */
export type Messages = {
  readonly [Key in RefusalMessage['key']]: (of: Parameters<Key>) => string
}
