import { useState } from 'react'
import { CREDENTIAL_RULES } from '../../../server/src/base/domain/access-settings.ts'
import { DISCLOSEE_RULES } from '../../../server/src/base/domain/credential.ts'
import { SCOPE_RULES } from '../../../server/src/base/domain/key-scope.ts'
import { change } from '../api/client.ts'
import { type CredentialKind, credentialsPath, ownerKey } from '../api/queries.ts'
import type { IssuedCredential, NewFeedToken, NewKey, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { optionsOf, SelectField, TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { DiscloseeFields } from './DiscloseeFields.tsx'
import { discloseeDraftOf, discloseeIn, isDiscloseeReady } from './disclosee.ts'
import { ExpiryField } from './ExpiryField.tsx'
import { type Expiry, expiresAt, isChosen, NEVER, PROPOSED } from './expiry.ts'
import { WORDS } from './key-texts.ts'
import { OPENS, type Opens } from './scenarios.ts'
import { ACCESS, ACCESS_HELP, ScopeFields } from './scope/ScopeFields.tsx'
import { draftOf, isComplete, limited, type ScopeDraft, scopeIn } from './scope/scope-draft.ts'
import { SENDING_APPS, type SendingApp } from './sending-apps.ts'

const RULES = { ...CREDENTIAL_RULES, ...DISCLOSEE_RULES, ...SCOPE_RULES }

type IssueCredentialProps = {
  /** Null: the deployment, which has feed tokens alone. */
  organization: OrganizationSummary | null
  kind: CredentialKind
  onClose: () => void
  onIssued: (issued: IssuedCredential) => void
}

export function IssueCredential({ organization, kind, onClose, onIssued }: IssueCredentialProps) {
  const words = WORDS[kind]
  const [name, setName] = useState('')
  const [expiry, setExpiry] = useState<Expiry>(kind === 'keys' ? PROPOSED : NEVER)
  const [opens, setOpens] = useState<Opens>('data')
  const [sender, setSender] = useState<SendingApp>('any')
  const [scope, setScope] = useState(() => draftOf(null))
  const [disclosee, setDisclosee] = useState(() =>
    discloseeDraftOf({ recipient: null, purpose: null }),
  )
  const [utc] = useUtc()
  const issue = useIssue(organization?.id ?? null, kind, onIssued)
  const nameless = name.trim() === ''
  const isTest = opens !== 'data'
  const isOpened = isTest || isComplete(scope)
  const needsDisclosee = organization?.keys_need_purpose === true && kind === 'keys' && !isTest
  return (
    <FormDialog
      title={words.issue}
      action={words.issue}
      saving={issue}
      isReady={
        !nameless &&
        isChosen(expiry) &&
        isOpened &&
        (isDiscloseeReady(disclosee) || !needsDisclosee)
      }
      rules={RULES}
      fields={['expires_at', 'operations', 'objects', 'attributes']}
      onSubmit={() => {
        const opened = isTest ? { scenario: opens } : { scope: scopeIn(scope) }
        const ofKey = { ...discloseeIn(disclosee), ...opened }
        const more = kind === 'keys' ? ofKey : { client: sender === 'any' ? null : sender }
        const expires_at = expiresAt(expiry, Date.now(), utc)
        issue.mutate({ name: name.trim(), expires_at, ...more })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        name="name"
        autoFocus
        autoComplete="off"
        placeholder={words.placeholder}
        value={name}
        onChange={setName}
        help={t('Helps you find it later when you want to revoke it.')}
        fault={nameless && t('Enter a name.')}
      />
      {organization !== null && kind === 'keys' && (
        <>
          <AccessFields opens={opens} onOpen={setOpens} scope={scope} onScope={setScope} />
          {!isTest && <ScopeFields organization={organization} draft={scope} onChange={setScope} />}
          <DiscloseeFields
            organization={organization}
            draft={disclosee}
            onChange={setDisclosee}
            isNeeded={needsDisclosee}
          />
        </>
      )}
      {kind === 'feed-tokens' && <SenderField sender={sender} onChange={setSender} />}
      <ExpiryField value={expiry} onChange={setExpiry} />
    </FormDialog>
  )
}

function useIssue(
  owner: number | null,
  kind: CredentialKind,
  onIssued: IssueCredentialProps['onIssued'],
) {
  return useSaving({
    request: (body: NewKey | NewFeedToken) =>
      change<IssuedCredential>('POST', credentialsPath(owner, kind), body),
    onAnswer: onIssued,
    refreshes: [ownerKey(owner)],
  })
}

type AccessFieldsProps = {
  opens: Opens
  onOpen: (opens: Opens) => void
  scope: ScopeDraft
  onScope: (scope: ScopeDraft) => void
}

/** The access of a new key: all of the organization, a part of it, or the simulated fleet. */
function AccessFields({ opens, onOpen, scope, onScope }: AccessFieldsProps) {
  const { data, ...scenarios } = OPENS
  const ofData = scope.isLimited ? 'limited' : 'full'
  return (
    <>
      <SelectField
        label={t('Access')}
        options={[...ACCESS, ['test', t('Test key (simulated fleet)')] as const]}
        value={opens === 'data' ? ofData : 'test'}
        onChange={(access) => {
          onOpen(access === 'test' ? 'standard' : 'data')
          onScope(access === 'limited' ? limited(scope) : { ...scope, isLimited: false })
        }}
        help={
          opens === 'data'
            ? ACCESS_HELP
            : t('For integration tests. Returns only simulated data and uses no quota.')
        }
      />
      {opens !== 'data' && (
        <SelectField
          label={t('Scenario')}
          name="scenario"
          options={optionsOf(scenarios)}
          value={opens}
          onChange={onOpen}
        />
      )}
    </>
  )
}

type SenderFieldProps = { sender: SendingApp; onChange: (sender: SendingApp) => void }

function SenderField({ sender, onChange }: SenderFieldProps) {
  return (
    <SelectField
      label={t('Sender')}
      name="client"
      options={optionsOf(SENDING_APPS)}
      value={sender}
      onChange={onChange}
      help={t(
        'Some apps send speed and accuracy in units of their own. Issue a separate token for each of these apps, and select the app here.',
      )}
    />
  )
}
