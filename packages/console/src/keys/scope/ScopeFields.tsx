import { RATE_WINDOW } from '../../../../server/src/base/domain/limits.ts'
import { useAttributes } from '../../api/queries.ts'
import type { OrganizationSummary } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { AllOrSome, ChosenFields } from '../../ui/form/ChosenFields.tsx'
import { NumberField, SelectField, TextField } from '../../ui/form/Field.tsx'
import { useTried } from '../../ui/form/Form.tsx'
import { More } from '../../ui/form/More.tsx'
import { AllOrSomeObjects } from '../../ui/form/PickObjects.tsx'
import { momentOf, momentText } from '../../ui/time/moments.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { faultsOf, limited, type ScopeDraft } from './draft.ts'
import { OPERATION_NAMES } from './words.ts'
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

type PartProps = {
  draft: ScopeDraft
  set: (part: Partial<ScopeDraft>) => void
  fault: string | undefined
}

export function ScopeFields({ organization, draft, onChange }: ScopeFieldsProps) {
  const set = (part: Partial<ScopeDraft>) => onChange({ ...draft, ...part })
  const faults = faultsOf(draft)
  const tried = useTried()
  if (!draft.isLimited) return null
  return (
    <fieldset className="scope-fields">
      <legend className="visually-hidden">{t('Limits')}</legend>
      <div className="stack-small">
        <AllOrSomeObjects
          organization={organization}
          name="objects"
          fault={faults.objects}
          chosen={draft.objects}
          onChange={(objects) => set({ objects })}
        />
      </div>
      <Operations draft={draft} set={set} fault={faults.operations} />
      <Times draft={draft} set={set} />
      <More label={t('More limits')} isOpen={tried && faults.attributes !== undefined}>
        <Attributes draft={draft} set={set} fault={faults.attributes} organization={organization} />
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

function Operations({ draft: { operations }, set, fault }: PartProps) {
  return (
    <div className="stack-small">
      <AllOrSome
        label={t('Operations')}
        name="operations"
        fault={fault}
        chosen={operations}
        onChange={(operations) => set({ operations })}
      >
        {(chosen) => (
          <ChosenFields
            legend={t('Selected operations')}
            isLegendHidden
            className="scope-operations"
            labels={OPERATION_NAMES}
            chosen={chosen}
            onChange={(operations) => set({ operations })}
          />
        )}
      </AllOrSome>
    </div>
  )
}

type AttributesProps = PartProps & { organization: OrganizationSummary }

function Attributes({ draft: { attributes }, set, fault, organization }: AttributesProps) {
  const known = useAttributes(organization.id).data?.items ?? []
  const labels = Object.fromEntries(known.map(({ name, label }) => [name, label]))
  // A scope may name an attribute that was removed since.
  for (const name of attributes ?? []) labels[name] ??= name
  return (
    <div className="stack-small">
      <AllOrSome
        label={t('Attributes')}
        name="attributes"
        help={
          attributes === null
            ? t('All public attributes.')
            : t('Only the selected attributes that are public.')
        }
        fault={fault}
        chosen={attributes}
        onChange={(attributes) => set({ attributes })}
      >
        {(chosen) => (
          <ChosenFields
            legend={t('Selected attributes')}
            isLegendHidden
            className="scope-operations"
            labels={labels}
            chosen={chosen}
            onChange={(attributes) => set({ attributes })}
          />
        )}
      </AllOrSome>
    </div>
  )
}

function Times({ draft: { data_from, data_until }, set }: Omit<PartProps, 'fault'>) {
  const [utc] = useUtc()
  const textOf = (instant: string | null) => (instant === null ? '' : momentText(instant, utc))
  return (
    <div className="columns">
      <TextField
        label={t('Data from')}
        name="data_from"
        type="datetime-local"
        value={textOf(data_from)}
        onChange={(text) => set({ data_from: momentOf(text, 'first', utc) })}
        help={
          utc
            ? t('The time in UTC. Empty: from the beginning.')
            : t('Your local time. Empty: from the beginning.')
        }
      />
      <TextField
        label={t('Data until')}
        name="data_until"
        type="datetime-local"
        value={textOf(data_until)}
        onChange={(text) => set({ data_until: momentOf(text, 'last', utc) })}
        help={t('Includes this minute. Leave empty for no end.')}
      />
    </div>
  )
}
