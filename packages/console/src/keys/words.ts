import type { CredentialKind } from '../api/queries.ts'

/** API keys and feed tokens are managed alike; what they are called and do is not. */
export type Words = {
  one: string
  many: string
  /** What the button to get one says. */
  issue: string
  placeholder: string
  /** What happens to who uses one that is revoked. */
  refused: string
  /** What holds good beside the new one for a while. */
  overlap: string
}

export const WORDS: Record<CredentialKind, Words> = {
  keys: {
    one: 'key',
    many: 'keys',
    issue: 'Issue key',
    placeholder: 'Night report',
    refused: 'Programs that use it are answered 401 from their next request on.',
    overlap: 'Programs can be moved to the new key one by one while the old one still works.',
  },
  'feed-tokens': {
    one: 'feed token',
    many: 'feed tokens',
    issue: 'Issue feed token',
    placeholder: 'Phones',
    refused:
      'What trackers send with it is refused from now on. Phones keep it for later, most trackers lose it.',
    overlap: 'Trackers can be moved to the new token one by one while the old one still works.',
  },
}
