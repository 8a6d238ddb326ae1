import type { CredentialKind } from '../api/queries.ts'
import { t } from '../language/text.ts'

/** API keys and feed tokens are managed in the same way; their names and effects differ. */
export type Words = {
  one: string
  many: string
  /** The label of the button that issues one. */
  issue: string
  placeholder: string
  /** The effect of a revocation on programs that use it. */
  refused: string
  /** The old secret, which stays valid alongside the new one for some time. */
  overlap: string
}

export const WORDS: Record<CredentialKind, Words> = {
  keys: {
    one: 'key',
    many: 'keys',
    issue: t('Issue key'),
    placeholder: t('Night report'),
    refused: t('Programs that use it get 401 from their next request on.'),
    overlap: t('Programs can be moved to the new key one by one while the old one still works.'),
  },
  'feed-tokens': {
    one: t('feed token'),
    many: t('feed tokens'),
    issue: t('Issue feed token'),
    placeholder: t('Phones'),
    refused: t(
      'The server refuses packets with this token from now on. Phones keep their packets and send them later. Most trackers lose them.',
    ),
    overlap: t('Trackers can be moved to the new token one by one while the old one still works.'),
  },
}
