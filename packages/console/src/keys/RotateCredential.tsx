import { type CredentialKind, credentialsPath } from '../api/queries.ts'
import type { Credential, IssuedCredential } from '../api/types.ts'
import { RotateDialog } from './RotateDialog.tsx'
import { WORDS } from './words.ts'

type RotateCredentialProps = {
  organization: number | null
  kind: CredentialKind
  credential: Credential
  onClose: () => void
  onIssued: (issued: IssuedCredential) => void
}

export function RotateCredential({ kind, credential, ...rest }: RotateCredentialProps) {
  const words = WORDS[kind]
  return (
    <RotateDialog
      {...rest}
      path={`${credentialsPath(rest.organization, kind)}/${credential.id}`}
      title={`Rotate ${credential.name}`}
      action={`Rotate ${words.one}`}
      help={words}
    >
      A new {words.one} with the same name replaces{' '}
      <code>{`${credential.prefix}…${credential.last_four}`}</code>.
    </RotateDialog>
  )
}
