import { useState } from 'react'
import { useLocation } from 'wouter'
import { ORGANIZATION_RULES } from '../../../server/src/base/domain/organization.ts'
import { change } from '../api/client.ts'
import type { NewOrganization, Organization } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { CheckField, NumberField, SelectField, TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { DISTANCE_UNITS, LANGUAGES } from './choices.ts'

export function CreateOrganization({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<NewOrganization>({
    name: '',
    distance_unit: 'km',
    language: 'en',
    daily_quota: null,
    create_objects: true,
  })
  const set = (part: Partial<NewOrganization>) => setDraft((before) => ({ ...before, ...part }))
  const create = useCreateOrganization()
  const nameless = draft.name.trim() === ''
  return (
    <FormDialog
      title={t('New organization')}
      action={t('Create organization')}
      saving={create}
      isReady={!nameless}
      rules={ORGANIZATION_RULES}
      onSubmit={() => create.mutate({ ...draft, name: draft.name.trim() })}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        name="name"
        autoFocus
        autoComplete="off"
        value={draft.name}
        onChange={(name) => set({ name })}
        fault={nameless && t('Enter a name.')}
      />
      <div className="columns">
        <SelectField
          label={t('Distance unit')}
          name="distance_unit"
          options={DISTANCE_UNITS}
          value={draft.distance_unit ?? 'km'}
          onChange={(distance_unit) => set({ distance_unit })}
        />
        <SelectField
          label={t('Error message language')}
          name="language"
          options={LANGUAGES}
          value={draft.language ?? 'en'}
          onChange={(language) => set({ language })}
        />
      </div>
      <NumberField
        label={t('Daily quota per object')}
        name="daily_quota"
        placeholder={t('Unlimited')}
        value={draft.daily_quota ?? null}
        onChange={(daily_quota) => set({ daily_quota })}
        help={t('Maximum position reads per object and UTC day. Leave empty for no limit.')}
      />
      <CheckField
        label={t('Create objects automatically')}
        name="create_objects"
        value={draft.create_objects ?? false}
        onChange={(create_objects) => set({ create_objects })}
        help={t(
          'The first packet of an unknown tracker creates an object. You can change all of these settings later.',
        )}
      />
    </FormDialog>
  )
}

/** Creates an organization, and opens it. */
function useCreateOrganization() {
  const [, navigate] = useLocation()
  return useSaving({
    request: (body: NewOrganization) => change<Organization>('POST', '/organizations', body),
    refreshes: [['organizations']],
    done: ({ name }) => t('{{name}} was created.', { name }),
    onSaved: ({ id }) => navigate(`/organizations/${id}/keys/feed-tokens`),
  })
}
