import { change } from '../api/client.ts'
import { type CredentialKind, credentialsPath, ownerKey } from '../api/queries.ts'
import type { Credential } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { Time } from '../ui/time/Time.tsx'
import { WORDS } from './key-texts.ts'

type RevokeCredentialProps = {
  organization: number | null
  kind: CredentialKind
  credential: Credential
  onClose: () => void
}

export function RevokeCredential({
  organization,
  kind,
  credential,
  onClose,
}: RevokeCredentialProps) {
  const words = WORDS[kind]
  return (
    <Confirm
      title={t('Revoke {{name}}?', { name: credential.name })}
      action={words.revoke}
      onClose={onClose}
      onConfirm={() =>
        change('POST', `${credentialsPath(organization, kind)}/${credential.id}/revoke`)
      }
      refreshes={[ownerKey(organization)]}
      done={t('{{name}} was revoked.', { name: credential.name })}
    >
      <p>
        {words.refused} {t('This cannot be undone. You can issue a new one at any time.')}
      </p>
      <p>
        {credential.last_used_at === null ? (
          t('Never used.')
        ) : (
          <Phrase
            text={
              kind === 'keys'
                ? 'Last used <time />, with {{count, number}} requests today.'
                : 'Last used <time />.'
            }
            values={{ count: credential.requests_today }}
            parts={{ time: <Time value={credential.last_used_at} as="ago" /> }}
          />
        )}
      </p>
    </Confirm>
  )
}
