import { useAttributes } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { Attribute, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { filtersOf } from '../records/filters.ts'
import { RangeFields } from '../records/RecordFilters.tsx'
import { Card } from '../ui/Card.tsx'
import { SelectField } from '../ui/form/Field.tsx'
import { PickObjects } from '../ui/form/PickObjects.tsx'
import { useAddress } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { besideDay, dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { ReportTable } from './ReportTable.tsx'
import { RANGES } from './ranges.ts'
import '../records/RecordsPage.css'

/** Hours, distances, trips and fuel of a range of days, by vehicle, day or driver. */
export function ReportsPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Reports'), organization.name)
  const [address, change] = useAddress()
  const [utc] = useUtc()
  const today = dayOf(Date.now(), utc)
  const { oversees } = useRights(organization.id)
  const known = useAttributes(organization.id, oversees)
  const attributes = known.data?.items ?? []
  const asked = address.has('from') ? filtersOf(address, today) : RANGES['last-week']!.of(today)
  const objects = filtersOf(address, today).objects
  const range = { from: asked.from, to: asked.to }
  const preset = Object.entries(RANGES).find(
    ([, { of }]) => JSON.stringify(of(today)) === JSON.stringify(range),
  )
  const texts = attributes.filter(({ type }) => type === 'text')
  const rows = address.get('by') ?? 'object'
  const set = (parts: Record<string, string | null>) => change(parts, { replace: true })
  const table = (
    <ReportTable
      organization={organization}
      // In no time zone a day lasts longer.
      isOver={besideDay(range.to, 2) < today}
      report={{ ...range, objects, ...groupIn(rows, attributes), levels: levelsIn(attributes) }}
    />
  )
  return (
    <Card
      page
      title={t('Reports')}
      lead={t(
        'Hours, distances, trips and fuel. “Export XLSX” has the table as it is here. “Export CSV” is for programs.',
      )}
    >
      <fieldset className="record-filters">
        <legend className="visually-hidden">{t('Filters')}</legend>
        <SelectField
          label={t('Range')}
          options={[
            ...Object.entries(RANGES).map(([key, { name }]) => [key, name] as const),
            ['other', t('Custom range')] as const,
          ]}
          value={preset?.[0] ?? 'other'}
          onChange={(chosen) => set(RANGES[chosen]?.of(today) ?? { from: today, to: today })}
        />
        <RangeFields range={range} today={today} onChange={set} />
        <SelectField
          label={t('Group by')}
          options={[
            ['object', t('Vehicle')],
            ['date', t('Day')],
            ...texts.map(({ name, label }) => [`by ${name}`, label] as const),
          ]}
          value={rows}
          onChange={(by) => set({ by })}
        />
        <PickObjects
          organization={organization}
          chosen={objects}
          onChange={(ids) => set({ objects: ids.join() })}
        />
      </fieldset>
      {oversees ? <Loaded query={known}>{() => table}</Loaded> : table}
    </Card>
  )
}

/** The group of the rows, and the attribute whose texts they are. */
function groupIn(rows: string, attributes: readonly Attribute[]) {
  if (rows === 'date') return { group: 'date', by: null } as const
  const by = attributes.find(({ name }) => rows === `by ${name}`)
  return by === undefined ? ({ group: 'object', by: null } as const) : { group: 'by' as const, by }
}

/** The levels, such as fuel, that are used and filled. */
function levelsIn(attributes: readonly Attribute[]): Attribute[] {
  return attributes.filter(({ is_level }) => is_level)
}
