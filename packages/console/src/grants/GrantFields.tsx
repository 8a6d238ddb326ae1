import { useAttributes } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { AllOrSomeValues } from '../ui/form/ChosenFields.tsx'
import { AllOrSomeObjects } from '../ui/form/PickObjects.tsx'
import { Icon } from '../ui/Icon.tsx'
import { MomentField } from '../ui/time/MomentField.tsx'
import { GrantSummary } from './GrantList.tsx'
import { type Grant, grantFaults, NONE_CHOSEN } from './grant.ts'
import './Grants.css'

type GrantFieldsProps = {
  organization: OrganizationSummary
  grants: readonly Grant[]
  onChange: (grants: Grant[]) => void
}

/** The vehicles, times and attributes that somebody sees: one grant of them, or several. */
export function GrantFields({ organization, grants, onChange }: GrantFieldsProps) {
  const isOnly = grants.length === 1
  return (
    <>
      {grants.map((grant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a grant has no other name
        <fieldset key={index} className={isOnly ? 'stack' : 'stack grant'}>
          <legend className={isOnly ? 'visually-hidden' : undefined}>
            {t('Grant {{number}}', { number: index + 1 })}
          </legend>
          <OneGrant
            organization={organization}
            grant={grant}
            set={(part) => onChange(grants.with(index, { ...grant, ...part }))}
          />
          {!isOnly && (
            <div className="row">
              <Button small onClick={() => onChange(grants.toSpliced(index, 1))}>
                {t('Remove grant {{number}}', { number: index + 1 })}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      <div className="row">
        <Button small onClick={() => onChange([...grants, NONE_CHOSEN])}>
          <Icon name="plus" />
          {t('Add another grant')}
        </Button>
      </div>
      <GrantSummary label={t('Access')} organization={organization.id} grants={grants} />
    </>
  )
}

type OneGrantProps = {
  organization: OrganizationSummary
  grant: Grant
  set: (part: Partial<Grant>) => void
}

function OneGrant({ organization, grant, set }: OneGrantProps) {
  const { objects, from, until } = grant
  const faults = grantFaults(grant)
  return (
    <>
      <div className="stack-small">
        <AllOrSomeObjects
          organization={organization}
          name="objects"
          fault={faults.objects}
          chosen={objects}
          onChange={(chosen) => set({ objects: chosen })}
        />
      </div>
      <div className="columns">
        <MomentField
          label={t('Data from')}
          bound="first"
          value={from}
          onChange={(chosen) => set({ from: chosen })}
          help={t('Empty: from the beginning.')}
        />
        <MomentField
          label={t('Data until')}
          bound="last"
          value={until}
          onChange={(chosen) => set({ until: chosen })}
          help={t('Includes this minute. Leave empty for no end.')}
          fault={faults.until}
        />
      </div>
      <Attributes organization={organization} grant={grant} set={set} />
    </>
  )
}

/** Not there for an organization without attributes. */
function Attributes({ organization, grant, set }: OneGrantProps) {
  const known = useAttributes(organization.id).data?.items ?? []
  const { attributes } = grant
  const labels = Object.fromEntries(known.map(({ name, label }) => [name, label]))
  // A grant may name an attribute that was removed since.
  for (const name of attributes ?? []) labels[name] ??= name
  if (Object.keys(labels).length === 0 && attributes === null) return null
  return (
    <div className="stack-small">
      <AllOrSomeValues
        label={t('Attributes')}
        name="attributes"
        help={
          attributes === null
            ? t('All public attributes.')
            : t('Only the selected attributes that are public.')
        }
        fault={grantFaults(grant).attributes}
        legend={t('Selected attributes')}
        labels={labels}
        chosen={attributes}
        onChange={(chosen) => set({ attributes: chosen })}
      />
    </div>
  )
}
