import { useState } from 'react'
import { useLocation } from 'wouter'
import { ADMIN_OBJECT_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import { change } from '../api/client.ts'
import type { FleetObject, NewObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { SettingField } from '../ui/form/SettingField.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { PLAIN_OBJECT_FIELDS } from '../ui/plain-object-fields.ts'

type CreateObjectProps = {
  organization: OrganizationSummary
  /** The ident of a tracker that sends already. */
  ident?: string
  onClose: () => void
}

export function CreateObject({ organization, ident = '', onClose }: CreateObjectProps) {
  const [draft, setDraft] = useState<NewObject>({ name: ident, ident })
  const set = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }))
  const create = useCreateObject(organization.id)
  const missing = (text: string) => text.trim() === ''
  return (
    <FormDialog
      title={t('New vehicle')}
      action={t('Create vehicle')}
      saving={create}
      isReady={!missing(draft.name) && !missing(draft.ident)}
      rules={ADMIN_OBJECT_RULES}
      onSubmit={() => create.mutate(trimmed(draft))}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        name="name"
        autoFocus
        autoComplete="off"
        value={draft.name}
        onChange={(name) => set({ name })}
        fault={missing(draft.name) && t('Enter a name.')}
      />
      <TextField
        label={t('Ident')}
        name="ident"
        autoComplete="off"
        spellCheck={false}
        value={draft.ident}
        onChange={(ident) => set({ ident })}
        help={t(
          'The ID that the tracker sends, usually its IMEI. A phone sends the device identifier from its app.',
        )}
        fault={missing(draft.ident) && t('Enter the ident. It matches packets to this vehicle.')}
      />
      <div className="columns">
        {PLAIN_OBJECT_FIELDS.map((field) => (
          <SettingField
            key={field.name}
            {...field}
            value={draft[field.name]}
            onChange={(value) => set({ [field.name]: value })}
          />
        ))}
      </div>
    </FormDialog>
  )
}

function trimmed(draft: NewObject): NewObject {
  const texts = Object.entries(draft).map(([name, value]) =>
    typeof value === 'string' ? [name, value.trim() || null] : [name, value],
  )
  return { ...draft, ...Object.fromEntries(texts) }
}

/** Creates an object, and opens it. */
function useCreateObject(organization: number) {
  const [, navigate] = useLocation()
  return useSaving({
    request: (body: NewObject) =>
      change<FleetObject>('POST', `/organizations/${organization}/objects`, body),
    refreshes: [['organization', organization]],
    done: ({ name }) => t('{{name}} was created.', { name }),
    onSaved: ({ id }) => navigate(`/organizations/${organization}/objects/${id}`),
  })
}
