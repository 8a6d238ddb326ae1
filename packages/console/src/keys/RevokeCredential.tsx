import { useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import { type CredentialKind, credentialsPath, ownerKey } from '../api/queries.ts'
import type { Credential } from '../api/types.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { counted } from '../ui/format.ts'
import { Time } from '../ui/time/Time.tsx'
import { WORDS } from './words.ts'

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
  const client = useQueryClient()
  return (
    <Confirm
      title={`Revoke ${credential.name}?`}
      action={`Revoke ${words.one}`}
      onClose={onClose}
      onConfirm={async () => {
        await change('POST', `${credentialsPath(organization, kind)}/${credential.id}/revoke`)
        await client.invalidateQueries({ queryKey: ownerKey(organization) })
        toast(`${credential.name} was revoked.`)
      }}
    >
      <p>{words.refused} It cannot be made valid again. You can issue a new one at any time.</p>
      <p>
        {credential.last_used_at === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <Time value={credential.last_used_at} as="ago" />
            {kind === 'keys' && `, with ${counted(credential.requests_today, 'request')} today`}.
          </>
        )}
      </p>
    </Confirm>
  )
}
