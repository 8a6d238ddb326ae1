import { useCredentials, useObject, useRecipients } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { filtersOf } from '../records/filters.ts'
import { RangeFields } from '../records/RecordFilters.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { optionsOf, SelectField } from '../ui/form/Field.tsx'
import { useAddress } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { dayOf } from '../ui/time/days.ts'
import { DisclosureTable } from './DisclosureTable.tsx'
import { RecipientTable, UNNAMED } from './RecipientTable.tsx'
import { SOURCE_NAMES } from './sources.ts'

/** The data that each recipient and each key was shown, in a range of days. */
export function DisclosuresPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Data access'), organization.name)
  const [address, change] = useAddress()
  const today = dayOf(Date.now(), true)
  const { from, to } = filtersOf(address, today)
  const [key, chosenRecipient] = [address.get('key') ?? '', address.get('recipient') ?? '']
  const source = address.get('source') ?? ''
  const keys = useCredentials(organization.id, 'keys').data?.items ?? []
  const names = keys.map(({ id, name, last_four }) => [`${id}`, `${name} (…${last_four})`] as const)
  const all = useRecipients(organization.id, String(new URLSearchParams({ from, to })))
  const recipients = recipientsOf(
    (all.data?.items ?? []).map(({ recipient }) => recipient),
    chosenRecipient,
  )
  const object = address.get('object') ?? ''
  const selection = selectionOf({ from, to, source, key, recipient: chosenRecipient, object })
  return (
    <Card
      page
      title={t('Data access')}
      lead={t(
        'See who received which vehicles’ data, and for what purpose. Each entry shows the key’s recipient at that time.',
      )}
    >
      <fieldset className="record-filters">
        <legend className="visually-hidden">{t('Filters')}</legend>
        <RangeFields
          range={{ from, to }}
          today={today}
          onChange={(parts) => change(parts, { replace: true })}
        />
        <SelectField
          label={t('Recipient')}
          options={[['', t('All recipients')], ...recipients]}
          value={chosenRecipient}
          onChange={(recipient) => change({ recipient }, { replace: true })}
        />
        <SelectField
          label={t('Access by')}
          options={[['', t('All')], ...optionsOf(SOURCE_NAMES)]}
          value={isSource(source) && key === '' ? source : ''}
          onChange={(chosen) => change({ source: chosen, key: null }, { replace: true })}
        />
        <SelectField
          label={t('API key')}
          options={[['', t('All keys')], ...names]}
          value={names.some(([id]) => id === key) ? key : ''}
          onChange={(chosen) => change({ key: chosen, source: null }, { replace: true })}
        />
      </fieldset>
      {ID.test(object) && (
        <OneVehicle
          organization={organization.id}
          object={Number(object)}
          onAll={() => change({ object: null })}
        />
      )}
      <RecipientTable organization={organization} selection={selection} />
      <DisclosureTable organization={organization} selection={selection} />
    </Card>
  )
}

type OneVehicleProps = { organization: number; object: number; onAll(): void }

/** Says that a link has chosen one vehicle. */
function OneVehicle({ organization, object, onAll }: OneVehicleProps) {
  const name = useObject(organization, object).data?.name ?? t('No. {{object}}', { object })
  return (
    <p className="row">
      {t('Showing only {{name}}', { name })}
      <Button small onClick={onAll}>
        {t('Show all vehicles')}
      </Button>
    </p>
  )
}

/** The recipient in the address of what was given out without naming one. No name of a recipient ends with a space. */
const NOBODY = 'nobody '

/** The recipients of these days, and the chosen one. */
function recipientsOf(given: readonly (string | null)[], chosen: string): [string, string][] {
  const values = new Set([...given.map((each) => each ?? NOBODY), chosen])
  values.delete('')
  return [...values].sort().map((each) => [each, each === NOBODY ? UNNAMED : each])
}

const ID = /^[1-9]\d{0,14}$/

const isSource = (text: string) => Object.hasOwn(SOURCE_NAMES, text)

type Chosen = Record<'from' | 'to' | 'source' | 'key' | 'recipient' | 'object', string>

/** The parameters of the admin API, which takes a source or a key. A link may name any key or vehicle. */
function selectionOf({ from, to, source, key, recipient, object }: Chosen): string {
  const chosen = new URLSearchParams({ from, to })
  if (ID.test(key)) chosen.set('key', key)
  else if (isSource(source)) chosen.set('source', source)
  if (ID.test(object)) chosen.set('object', object)
  if (recipient !== '') chosen.set('recipient', recipient === NOBODY ? '' : recipient)
  return String(chosen)
}
