import { type ReactNode, useState } from 'react'
import { type CredentialKind, useCredentials } from '../api/queries.ts'
import type { Credential, IssuedCredential, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { ShownOnce } from '../ui/dialog/ShownOnce.tsx'
import { CheckField } from '../ui/form/Field.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { useNow } from '../ui/time/clock.ts'
import { ChangeDisclosee } from './ChangeDisclosee.tsx'
import { CredentialTable } from './CredentialTable.tsx'
import { IssueCredential } from './IssueCredential.tsx'
import { WORDS } from './key-texts.ts'
import { RevokeCredential } from './RevokeCredential.tsx'
import { RotateCredential } from './RotateCredential.tsx'
import { ChangeScope } from './scope/ChangeScope.tsx'
import { isValid } from './state.ts'

type CredentialsCardProps = {
  /** Null: the deployment, which has feed tokens alone. */
  organization: OrganizationSummary | null
  kind: CredentialKind
  title: string
  lead: string
  /** The text if there are none yet. */
  empty: string
  /** Lines to copy once the secret has been issued. */
  lines: (secret: string) => ReactNode
}

type OpenDialog =
  | { name: 'issue' }
  | { name: 'scope' | 'disclosee' | 'rotate' | 'revoke'; credential: Credential }
  | { name: 'show'; issued: IssuedCredential }

export function CredentialsCard(props: CredentialsCardProps) {
  const { organization, kind, title, lead, empty, lines } = props
  const words = WORDS[kind]
  const credentials = useCredentials(organization?.id ?? null, kind)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const [all, setAll] = useState(false)
  const now = useNow()
  const issue = (
    <Changing>
      <Button look="primary" onClick={() => setDialog({ name: 'issue' })}>
        <Icon name="plus" />
        {words.issue}
      </Button>
    </Changing>
  )
  return (
    <Card page={kind === 'keys'} title={title} lead={lead} actions={issue}>
      <Loaded query={credentials} lines={3}>
        {({ items }) => {
          const valid = items.filter((each) => isValid(each, now))
          const gone = items.length - valid.length
          if (items.length === 0) {
            return <Empty title={words.none}>{empty}</Empty>
          }
          return (
            <>
              {(all || valid.length > 0) && (
                <CredentialTable
                  organization={organization?.id ?? null}
                  kind={kind}
                  rows={all ? items : valid}
                  onChangeScope={(credential) => setDialog({ name: 'scope', credential })}
                  onChangeDisclosee={(credential) => setDialog({ name: 'disclosee', credential })}
                  onRotate={(credential) => setDialog({ name: 'rotate', credential })}
                  onRevoke={(credential) => setDialog({ name: 'revoke', credential })}
                />
              )}
              {!all && valid.length === 0 && <p className="soft">{words.noneValid}</p>}
              {gone > 0 && (
                <CheckField
                  label={t('Show {{count, number}} revoked or expired', {
                    count: gone,
                  })}
                  value={all}
                  onChange={setAll}
                />
              )}
            </>
          )
        }}
      </Loaded>
      {dialog !== null && (
        <CredentialDialog
          dialog={dialog}
          organization={organization}
          kind={kind}
          lines={lines}
          onClose={() => setDialog(null)}
          onIssued={(issued) => setDialog({ name: 'show', issued })}
        />
      )}
    </Card>
  )
}

type CredentialDialogProps = Pick<CredentialsCardProps, 'organization' | 'kind' | 'lines'> & {
  dialog: OpenDialog
  onClose: () => void
  onIssued: (issued: IssuedCredential) => void
}

function CredentialDialog(props: CredentialDialogProps) {
  const { dialog, organization, kind, lines, onClose, onIssued } = props
  const shared = { kind, onClose }
  const owner = organization?.id ?? null
  switch (dialog.name) {
    case 'issue':
      return <IssueCredential {...shared} organization={organization} onIssued={onIssued} />
    case 'rotate':
      return (
        <RotateCredential
          {...shared}
          organization={owner}
          credential={dialog.credential}
          onIssued={onIssued}
        />
      )
    case 'revoke':
      return <RevokeCredential {...shared} organization={owner} credential={dialog.credential} />
    case 'show':
      return (
        <ShownOnce
          title={WORDS[kind].issued(dialog.issued.credential.name)}
          note={t(
            'Copy it now. It will not be shown again: the server stores only a digest. If you lose it, issue a new one.',
          )}
          onClose={onClose}
        >
          {lines(dialog.issued.secret)}
        </ShownOnce>
      )
    case 'scope':
    case 'disclosee': {
      // Feed tokens, which are all that a deployment has, have neither.
      if (organization === null) return null
      const Change = dialog.name === 'scope' ? ChangeScope : ChangeDisclosee
      return <Change organization={organization} credential={dialog.credential} onClose={onClose} />
    }
  }
}
