import { RATE_WINDOW } from '../../../../server/src/base/domain/limits.ts'
import type { OrganizationSummary } from '../../api/types.ts'
import { GrantFields } from '../../grants/GrantFields.tsx'
import { t } from '../../language/text.ts'
import { AllOrSomeValues } from '../../ui/form/ChosenFields.tsx'
import { NumberField, SelectField } from '../../ui/form/Field.tsx'
import { More } from '../../ui/form/More.tsx'
import { limited, operationsFault, type ScopeDraft } from './scope-draft.ts'
import { OPERATION_NAMES } from './scope-texts.ts'
import './Scope.css'

export const ACCESS: ['full' | 'limited', string][] = [
  ['full', t('Full')],
  ['limited', t('Limited')],
]

export const ACCESS_HELP = t(
  'Keys are read-only. With limited access, other operations return 403, and other vehicles and times look as if they did not exist.',
)

type ScopeFieldsProps = {
  organization: OrganizationSummary
  draft: ScopeDraft
  onChange: (draft: ScopeDraft) => void
}

export function ScopeFields({ organization, draft, onChange }: ScopeFieldsProps) {
  const set = (part: Partial<ScopeDraft>) => onChange({ ...draft, ...part })
  if (!draft.isLimited) return null
  return (
    <fieldset className="scope-fields">
      <legend className="visually-hidden">{t('Limits')}</legend>
      <GrantFields
        organization={organization}
        grants={draft.grants}
        onChange={(grants) => set({ grants })}
      />
      <Operations draft={draft} set={set} />
      <More label={t('More limits')}>
        <NumberField
          label={t('Requests per {{seconds}} seconds', { seconds: RATE_WINDOW.seconds })}
          name="window_share"
          placeholder={t('All {{windowrequests}}', {
            windowrequests: organization.window_requests,
          })}
          value={draft.window_share}
          onChange={(window_share) => set({ window_share })}
          help={t(
            'This key’s part of the {{windowrequests}} requests that all keys of the organization share.',
            {
              windowrequests: organization.window_requests,
            },
          )}
        />
      </More>
    </fieldset>
  )
}

/** Whether a key opens all of the organization. */
export function AccessField({ draft, onChange }: Pick<ScopeFieldsProps, 'draft' | 'onChange'>) {
  return (
    <SelectField
      label={t('Access')}
      options={ACCESS}
      value={draft.isLimited ? 'limited' : 'full'}
      onChange={(access) =>
        onChange(access === 'full' ? { ...draft, isLimited: false } : limited(draft))
      }
      help={ACCESS_HELP}
    />
  )
}

type OperationsProps = { draft: ScopeDraft; set: (part: Partial<ScopeDraft>) => void }

function Operations({ draft, set }: OperationsProps) {
  return (
    <div className="stack-small">
      <AllOrSomeValues
        label={t('Operations')}
        name="operations"
        fault={operationsFault(draft)}
        legend={t('Selected operations')}
        labels={OPERATION_NAMES}
        chosen={draft.operations}
        onChange={(operations) => set({ operations })}
      />
    </div>
  )
}
