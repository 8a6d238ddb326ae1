import { type CredentialKind, credentialsPath } from '../api/queries.ts'
import type { Credential, IssuedCredential } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { WORDS } from './key-texts.ts'
import { RotateDialog } from './RotateDialog.tsx'

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
      title={t('Rotate {{name}}', { name: credential.name })}
      action={words.rotate}
      help={words}
    >
      <Phrase
        text={words.replaced}
        values={{ secret: `${credential.prefix}…${credential.last_four}` }}
        parts={{ code: <code /> }}
      />
    </RotateDialog>
  )
}
