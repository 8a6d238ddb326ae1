import { useState } from 'react'
import type { Included } from '../../../server/src/base/domain/position/field-lists.ts'
import { WEBHOOK_RULES } from '../../../server/src/base/domain/webhook.ts'
import { change } from '../api/client.ts'
import type { IssuedWebhook, OrganizationSummary, Webhook, WebhookPatch } from '../api/types.ts'
import { GrantFields } from '../grants/GrantFields.tsx'
import { isGrantComplete, NONE_CHOSEN } from '../grants/grant.ts'
import { DiscloseeFields } from '../keys/DiscloseeFields.tsx'
import {
  type DiscloseeDraft,
  discloseeDraftOf,
  discloseeIn,
  isDiscloseeReady,
} from '../keys/disclosee.ts'
import { ACCESS } from '../keys/scope/ScopeFields.tsx'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { AllOrSomeValues, ChosenFields } from '../ui/form/ChosenFields.tsx'
import { optionsOf, PasswordField, SelectField, TextField } from '../ui/form/Field.tsx'
import { AllOrSomeObjects } from '../ui/form/PickObjects.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Note } from '../ui/state/Note.tsx'
import { ADDRESSES, CREDENTIAL_HELP, FORM_NAMES, RELAY_STARTS, STARTS } from './forms.ts'
import { TYPE_NAMES } from './webhook-texts.ts'

type WebhookFormProps = {
  organization: OrganizationSummary
  /** The webhook to change. Absent: a new one. */
  webhook?: Webhook
  onClose: () => void
  onIssued: (issued: IssuedWebhook) => void
}

const INCLUDED_NAMES: Record<Included, string> = {
  quality: t('Fix quality'),
  exact: t('Exact counters'),
  attributes: t('Attributes'),
}

type Draft = Pick<Webhook, 'form' | 'url' | 'types' | 'grants' | 'ids' | 'include' | 'from'> &
  DiscloseeDraft & {
    /** Empty: those that are kept, or none. */
    credentials: string
  }

function draftOf(webhook: Webhook | undefined): Draft {
  return {
    form: webhook?.form ?? 'changes',
    credentials: '',
    url: webhook?.url ?? '',
    types: webhook?.types ?? null,
    grants: webhook?.grants ?? null,
    ids: webhook?.ids ?? null,
    ...discloseeDraftOf(webhook ?? { recipient: null, purpose: null }),
    include: webhook?.include ?? [],
    from: webhook?.from ?? 'snapshot',
  }
}

function bodyOf({ form, url, types, include, credentials, ...rest }: Draft): WebhookPatch {
  const isRelay = form !== 'changes'
  return {
    ...rest,
    ...discloseeIn(rest),
    url: url.trim(),
    types: isRelay ? null : types,
    include: isRelay || include?.length === 0 ? null : include,
    ...(isRelay && credentials !== '' && { credentials }),
  }
}

/** Registers a webhook, or changes one. */
function useSave({ organization, webhook, onClose, onIssued }: WebhookFormProps) {
  const path = `/organizations/${organization.id}/webhooks`
  const refreshes = [['organization', organization.id]]
  const register = useSaving({
    request: (draft: Draft) =>
      change<IssuedWebhook>('POST', path, { ...bodyOf(draft), form: draft.form }),
    onAnswer: onIssued,
    refreshes,
  })
  const save = useSaving({
    request: (draft: Draft) => change('PATCH', `${path}/${webhook?.id}`, bodyOf(draft)),
    refreshes,
    done: t('The webhook was changed.'),
    onSaved: onClose,
  })
  return webhook === undefined ? register : save
}

export function WebhookForm(props: WebhookFormProps) {
  const { webhook, onClose } = props
  const [draft, setDraft] = useState(() => draftOf(webhook))
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const save = useSave(props)
  const isUrlWrong = !WEBHOOK_RULES.url.holds(draft.url.trim())
  const needsDisclosee = props.organization.keys_need_purpose
  const missing = t('Choose at least one.')
  const faults = {
    types: draft.types?.length === 0 && missing,
    ids: draft.ids?.length === 0 && missing,
  }
  const startsAnew = webhook !== undefined && selectionOf(webhook) !== selectionOf(bodyOf(draft))
  const title = webhook === undefined ? t('New webhook') : t('Change webhook')
  return (
    <FormDialog
      title={title}
      action={webhook === undefined ? t('Create webhook') : t('Save webhook')}
      saving={save}
      isReady={
        !isUrlWrong &&
        !faults.types &&
        !faults.ids &&
        (draft.grants?.every(isGrantComplete) ?? true) &&
        (isDiscloseeReady(draft) || !needsDisclosee)
      }
      rules={WEBHOOK_RULES}
      fields={['credentials']}
      onSubmit={() => save.mutate(draft)}
      onClose={onClose}
    >
      {webhook === undefined && (
        <SelectField
          label={t('Format')}
          name="form"
          options={optionsOf(FORM_NAMES)}
          value={draft.form}
          onChange={(form) => set({ form })}
        />
      )}
      <TextField
        label={t('Address')}
        name="url"
        type="url"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder={ADDRESSES[draft.form].placeholder}
        value={draft.url}
        onChange={(url) => set({ url })}
        help={ADDRESSES[draft.form].help}
        fault={isUrlWrong && t('Must be {{says}}.', { says: said(WEBHOOK_RULES.url.says) })}
      />
      {draft.form !== 'changes' && (
        <PasswordField
          label={t('Credentials')}
          name="credentials"
          autoComplete="off"
          placeholder={webhook?.has_credentials === true ? t('Unchanged') : undefined}
          value={draft.credentials}
          onChange={(credentials) => set({ credentials })}
          help={CREDENTIAL_HELP[draft.form]}
        />
      )}
      <SelectionFields
        organization={props.organization}
        draft={draft}
        onChange={set}
        faults={faults}
      />
      <SelectField
        label={t('Start with')}
        name="from"
        options={optionsOf(draft.form === 'changes' ? STARTS : RELAY_STARTS)}
        value={draft.from}
        onChange={(from) => set({ from })}
      />
      <DiscloseeFields
        organization={props.organization}
        draft={draft}
        onChange={set}
        isNeeded={needsDisclosee}
      />
      {startsAnew && (
        <Note kind="warn">
          {t(
            'This restarts the webhook. The receiver gets a message to drop its data. Deliveries then start as chosen under “Start with”.',
          )}
        </Note>
      )}
    </FormDialog>
  )
}

type SelectionFieldsProps = {
  organization: OrganizationSummary
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  faults: { types: string | false; ids: string | false }
}

/** The changes that the webhook gets. */
function SelectionFields({ organization, draft, onChange, faults }: SelectionFieldsProps) {
  const isRelay = draft.form !== 'changes'
  return (
    <>
      {!isRelay && (
        <AllOrSomeValues
          label={t('Changes')}
          name="types"
          fault={faults.types}
          legend={t('Selected changes')}
          labels={TYPE_NAMES}
          chosen={draft.types}
          onChange={(types) => onChange({ types })}
        />
      )}
      <SelectField
        label={t('Access')}
        options={ACCESS}
        value={draft.grants === null ? 'full' : 'limited'}
        onChange={(access) => onChange({ grants: access === 'full' ? null : [NONE_CHOSEN] })}
      />
      {draft.grants !== null && (
        <GrantFields
          organization={organization}
          grants={draft.grants}
          onChange={(grants) => onChange({ grants })}
        />
      )}
      {draft.ids !== null && (
        <AllOrSomeObjects
          organization={organization}
          name="ids"
          fault={faults.ids}
          chosen={draft.ids}
          onChange={(ids) => onChange({ ids })}
        />
      )}
      {!isRelay && (draft.types?.includes('positions') ?? true) && (
        <ChosenFields
          legend={t('More position fields')}
          labels={INCLUDED_NAMES}
          chosen={draft.include ?? []}
          onChange={(include) => onChange({ include })}
        />
      )}
    </>
  )
}

function selectionOf({ types, grants, ids, include }: WebhookPatch): string {
  const idsInOrder = ids && [...ids].sort((a, b) => a - b)
  const sorted = [types && [...types].sort(), include && [...include].sort()]
  return JSON.stringify([...sorted, idsInOrder, grants])
}
