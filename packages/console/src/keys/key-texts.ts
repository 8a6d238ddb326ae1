import type { CredentialKind } from '../api/queries.ts'
import { t } from '../language/text.ts'

/** API keys and feed tokens are managed in the same way; their names and effects differ. */
type Words = {
  /** The texts of buttons. */
  issue: string
  rotate: string
  revoke: string
  /** The texts of an empty list, and of one without a valid one. */
  none: string
  noneValid: string
  /** The title of the secret. */
  issued: (name: string) => string
  /** The effect of a rotation, with the old secret as `<code>`. */
  replaced: string
  placeholder: string
  /** The effect of a revocation on programs that use it. */
  refused: string
  /** The old secret, which stays valid alongside the new one for some time. */
  overlap: string
}

export const WORDS: Record<CredentialKind, Words> = {
  keys: {
    issue: t('Issue key'),
    rotate: t('Rotate key'),
    revoke: t('Revoke key'),
    none: t('No keys yet'),
    noneValid: t('No valid keys. All were revoked or have expired.'),
    issued: (name) => t('{{name}}: your new key', { name }),
    replaced: 'A new key with the same name replaces <code>{{secret}}</code>.',
    placeholder: t('Night report'),
    refused: t('Programs that use this key will get 401 on their next request.'),
    overlap: t('Move programs to the new key one by one while the old key still works.'),
  },
  'feed-tokens': {
    issue: t('Issue feed token'),
    rotate: t('Rotate feed token'),
    revoke: t('Revoke feed token'),
    none: t('No feed tokens yet'),
    noneValid: t('No valid feed tokens. All were revoked or have expired.'),
    issued: (name) => t('{{name}}: your new feed token', { name }),
    replaced: 'A new feed token with the same name replaces <code>{{secret}}</code>.',
    placeholder: t('Phones'),
    refused: t(
      'The server will reject packets with this token. Phones keep their packets and send them later. Most trackers lose them.',
    ),
    overlap: t('Move trackers to the new token one by one while the old token still works.'),
  },
}
