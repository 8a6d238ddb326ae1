import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChangeType } from '../../../server/src/base/domain/items.ts'
import type { Included } from '../../../server/src/base/domain/position/field-lists.ts'
import { WEBHOOK_RULES } from '../../../server/src/base/domain/webhook.ts'
import { change } from '../api/client.ts'
import type { IssuedWebhook, OrganizationSummary, Webhook } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { AllOrSome, ChosenFields } from '../ui/form/ChosenFields.tsx'
import { optionsOf, SelectField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { PickObjects } from '../ui/form/PickObjects.tsx'
import { Note } from '../ui/state/Note.tsx'
import { TYPE_NAMES } from './words.ts'

type WebhookFormProps = {
  organization: OrganizationSummary
  /** The webhook to change. Absent: a new one. */
  webhook?: Webhook
  onClose: () => void
  onIssued: (issued: IssuedWebhook) => void
}

const FROM: Record<Webhook['from'], string> = {
  snapshot: t('The catalogue and the current states'),
  history: t('The catalogue, the current states and all stored positions'),
  now: t('Only what changes from now on'),
}

const INCLUDED_NAMES: Record<Included, string> = {
  quality: t('Quality of the fix'),
  exact: t('Exact counters'),
  attributes: t('Attributes of the catalogue'),
}

type Body = Pick<Webhook, 'url' | 'types' | 'ids' | 'include' | 'from'>

function draftOf(webhook: Webhook | undefined): Body {
  return {
    url: webhook?.url ?? '',
    types: webhook?.types ?? null,
    ids: webhook?.ids ?? null,
    include: webhook?.include ?? [],
    from: webhook?.from ?? 'snapshot',
  }
}

function bodyOf({ url, types, ids, include, from }: Body): Body {
  return {
    url: url.trim(),
    types,
    ids,
    include: include?.length === 0 ? null : include,
    from,
  }
}

/** Registers a webhook, or changes one. */
function useSave({ organization, webhook, onClose, onIssued }: WebhookFormProps) {
  const client = useQueryClient()
  const path = `/organizations/${organization.id}/webhooks`
  return useMutation({
    mutationFn: (body: Body): Promise<IssuedWebhook | undefined> =>
      webhook === undefined
        ? change<IssuedWebhook>('POST', path, body)
        : change<Webhook>('PATCH', `${path}/${webhook.id}`, body).then(() => undefined),
    onSuccess: (issued) => {
      if (issued === undefined) {
        toast(t('The webhook was changed.'))
        onClose()
      } else onIssued(issued)
      return client.invalidateQueries({ queryKey: ['organization', organization.id] })
    },
  })
}

export function WebhookForm(props: WebhookFormProps) {
  const { webhook, onClose } = props
  const [draft, setDraft] = useState(() => draftOf(webhook))
  const set = (part: Partial<Body>) => setDraft((before) => ({ ...before, ...part }))
  const [tried, setTried] = useState(false)
  const save = useSave(props)
  const isUrlWrong = !WEBHOOK_RULES.url.holds(draft.url.trim())
  const missing = t('Choose at least one.')
  const errors = {
    types: tried && draft.types?.length === 0 ? missing : undefined,
    ids: tried && draft.ids?.length === 0 ? missing : undefined,
  }
  const isNothingChosen = draft.types?.length === 0 || draft.ids?.length === 0
  const body = bodyOf(draft)
  const startsAnew = webhook !== undefined && selectionOf(webhook) !== selectionOf(body)
  const title = webhook === undefined ? t('New webhook') : t('Change the webhook')
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        error={save.error}
        rules={WEBHOOK_RULES}
        onSubmit={() => {
          setTried(true)
          if (!isUrlWrong && !isNothingChosen && !save.isPending) save.mutate(body)
        }}
      >
        <TextField
          label={t('Address')}
          name="url"
          type="url"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          placeholder="https://example.com/fleet"
          value={draft.url}
          onChange={(url) => set({ url })}
          help={t('The server posts there. It must begin with https.')}
          error={
            tried && isUrlWrong
              ? t('It must be {{says}}.', { says: said(WEBHOOK_RULES.url.says) })
              : undefined
          }
        />
        <SelectionFields
          organization={props.organization}
          draft={draft}
          onChange={set}
          errors={errors}
        />
        <SelectField
          label={t('Begin with')}
          name="from"
          options={optionsOf(FROM)}
          value={draft.from}
          onChange={(from) => set({ from })}
        />
        {startsAnew && (
          <Note kind="warn">
            {t(
              'The webhook starts again: the receiver gets a message to drop its data, and then gets all of it again.',
            )}
          </Note>
        )}
        <SubmitOrCancel
          action={webhook === undefined ? t('Register webhook') : t('Save webhook')}
          isBusy={save.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}

type SelectionFieldsProps = {
  organization: OrganizationSummary
  draft: Body
  onChange: (part: Partial<Body>) => void
  errors: { types: string | undefined; ids: string | undefined }
}

/** The changes that the webhook gets. */
function SelectionFields({ organization, draft, onChange, errors }: SelectionFieldsProps) {
  return (
    <>
      <TypeFields
        types={draft.types}
        onChange={(types) => onChange({ types })}
        error={errors.types}
      />
      <AllOrSome
        label={t('Vehicles')}
        name="ids"
        error={errors.ids}
        chosen={draft.ids}
        onChange={(ids) => onChange({ ids })}
      >
        {(chosen) => (
          <PickObjects
            organization={organization}
            label={t('Selected vehicles')}
            placeholder={t('Search by name or ident')}
            chosen={chosen}
            onChange={(ids) => onChange({ ids: ids.map(Number) })}
          />
        )}
      </AllOrSome>
      {(draft.types?.includes('positions') ?? true) && (
        <ChosenFields
          legend={t('More fields of positions')}
          labels={INCLUDED_NAMES}
          chosen={draft.include ?? []}
          onChange={(include) => onChange({ include })}
        />
      )}
    </>
  )
}

type TypeFieldsProps = {
  /** Null: all. */
  types: readonly ChangeType[] | null
  onChange: (types: ChangeType[] | null) => void
  error: string | undefined
}

function TypeFields({ types, onChange, error }: TypeFieldsProps) {
  return (
    <AllOrSome label={t('Changes')} name="types" error={error} chosen={types} onChange={onChange}>
      {(chosen) => (
        <ChosenFields
          legend={t('Chosen changes')}
          isLegendHidden
          labels={TYPE_NAMES}
          chosen={chosen}
          onChange={onChange}
        />
      )}
    </AllOrSome>
  )
}

function selectionOf({ types, ids, include }: Pick<Body, 'types' | 'ids' | 'include'>): string {
  const idsInOrder = ids && [...ids].sort((a, b) => a - b)
  return JSON.stringify([types && [...types].sort(), idsInOrder, include && [...include].sort()])
}
