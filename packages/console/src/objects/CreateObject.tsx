import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ADMIN_OBJECT_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import { change } from '../api/client.ts'
import type { FleetObject, NewObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { SettingField } from '../ui/form/SettingField.tsx'
import { PLAIN_OBJECT_FIELDS } from '../ui/plain-object-fields.ts'

type CreateObjectProps = {
  organization: OrganizationSummary
  /** The ident of a tracker that sends already. */
  ident?: string
  onClose: () => void
}

export function CreateObject({ organization, ident = '', onClose }: CreateObjectProps) {
  const [tried, setTried] = useState(false)
  const [draft, setDraft] = useState<NewObject>({ name: ident, ident })
  const set = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }))
  const create = useCreateObject(organization.id)
  const missing = (text: string) => tried && text.trim() === ''
  return (
    <Dialog title={t('New vehicle')} onClose={onClose}>
      <Form
        error={create.error}
        rules={ADMIN_OBJECT_RULES}
        onSubmit={() => {
          setTried(true)
          if (draft.name.trim() === '' || draft.ident.trim() === '' || create.isPending) return
          create.mutate({
            ...trimmed(draft),
            name: draft.name.trim(),
            ident: draft.ident.trim(),
          })
        }}
      >
        <TextField
          label={t('Name')}
          name="name"
          autoFocus
          autoComplete="off"
          value={draft.name}
          onChange={(name) => set({ name })}
          error={missing(draft.name) ? t('Give it a name.') : undefined}
        />
        <TextField
          label={t('Ident')}
          name="ident"
          autoComplete="off"
          spellCheck={false}
          value={draft.ident}
          onChange={(ident) => set({ ident })}
          help={t(
            'The id that the tracker sends, usually its IMEI. A phone sends the device identifier of its app.',
          )}
          error={
            missing(draft.ident)
              ? t('Enter the ident. Packets find their vehicle by it.')
              : undefined
          }
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
        <SubmitOrCancel action={t('Create vehicle')} isBusy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
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
  const client = useQueryClient()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: (body: NewObject) =>
      change<FleetObject>('POST', `/organizations/${organization}/objects`, body),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: ['organization', organization] })
      toast(t('{{name}} was created.', { name }))
      navigate(`/organizations/${organization}/objects/${id}`)
    },
  })
}
