import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import type { AttributeEntry } from '../../../server/src/base/domain/attributes/attribute-catalogue.ts'
import { sourceNames } from '../../../server/src/base/domain/attributes/attribute-source.ts'
import {
  FAULT_WORDS,
  type Preview,
  previewOf,
} from '../../../server/src/base/domain/attributes/value-preview.ts'
import type { OrganizationSummary, SentName, SentValues } from '../api/types.ts'
import { useAnswer } from '../api/use-answer.ts'
import { t } from '../language/text.ts'
import { TextField } from '../ui/form/Field.tsx'
import { PickObjects } from '../ui/form/PickObjects.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { dayOf, dayRange, isDay } from '../ui/time/days.ts'
import { Time } from '../ui/time/Time.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import { valueText } from './attribute-texts.ts'

type AttributePreviewProps = {
  organization: OrganizationSummary
  entry: AttributeEntry
  sent: readonly SentName[]
}

type Row = Preview & Pick<SentValues['items'][number], 'time_device'>

/** Rows of the preview, evenly spaced. */
const ROWS = 12

/** The values of a real day, as the device sent them and as answers would show them. */
export function AttributePreview({ organization, entry, sent }: AttributePreviewProps) {
  const [utc] = useUtc()
  const sources = sourceNames(entry)
  const newest = sent
    .filter(({ name, value_at }) => sources.includes(name) && value_at !== null)
    .sort((a, b) => (a.value_at! < b.value_at! ? 1 : -1))[0]
  const [chosen, setChosen] = useState<number | null>(null)
  const [day, setDay] = useState<string | null>(null)
  const object = chosen ?? newest?.object ?? null
  const date = day ?? dayOf(newest?.value_at ?? Date.now(), utc)
  const values = useSentValues(organization.id, object, sources, dayRange(date, utc))
  return (
    <section className="stack-small" aria-label={t('Preview')}>
      <h3>{t('Values on one day')}</h3>
      <div className="columns">
        <PickObjects
          organization={organization}
          label={t('Object')}
          placeholder={t('Search by name or ident')}
          chosen={object === null ? [] : [object]}
          onChange={(ids) => setChosen(ids.length === 0 ? null : Number(ids.at(-1)))}
        />
        <TextField
          label={t('Day')}
          type="date"
          value={date}
          onChange={(next) => isDay(next) && setDay(next)}
        />
      </div>
      <Problem error={values.error} />
      {values.data !== undefined && (
        <Values entry={entry} object={object ?? 0} values={values.data} />
      )}
    </section>
  )
}

function useSentValues(
  organization: number,
  object: number | null,
  sources: readonly string[],
  { from, to }: { from: string; to: string },
) {
  const asked = new URLSearchParams({ from, to })
  for (const source of sources) asked.append('source', source)
  return useAnswer<SentValues>(
    ['organization', organization, 'object', object, 'sent-values', `${asked}`],
    `/organizations/${organization}/objects/${object}/attributes/values?${asked}`,
    { enabled: object !== null && sources.length > 0, placeholderData: keepPreviousData },
  )
}

type ValuesProps = { entry: AttributeEntry; object: number; values: SentValues }

function Values({ entry, object, values: { items, positions } }: ValuesProps) {
  const all = items.flatMap(({ time_device, values }) => {
    const preview = previewOf(entry, object, values)
    return preview === undefined ? [] : [{ time_device, ...preview }]
  })
  if (all.length === 0)
    return <p className="soft">{t('The vehicle did not send this value on this day.')}</p>
  const step = Math.max(1, (all.length - 1) / (ROWS - 1))
  const rows = Array.from(
    { length: Math.min(all.length, ROWS) },
    (_, index) => all[Math.round(index * step)]!,
  )
  const unshown = all.filter(({ fault }) => fault !== null).length
  return (
    <>
      <Table
        label={t('Values on this day')}
        columns={columnsOf(entry)}
        rows={rows}
        rowKey={keyOf}
        stays
      />
      <p className="soft small">
        {t('{{count, number}} positions on this day have this value.', { count: positions })}{' '}
        {positions > rows.length &&
          t('The table shows {{length}} of them.', { length: rows.length })}{' '}
        {unshown === 0
          ? t('API responses would include every value.')
          : t('API responses would leave out {{unshown}} of {{count, number}} values.', {
              unshown,
              count: all.length,
            })}
      </p>
    </>
  )
}

function keyOf({ time_device }: Row): string {
  return time_device
}

function columnsOf({ unit }: AttributeEntry): Column<Row>[] {
  return [
    { name: t('Time'), cell: ({ time_device }) => <Time value={time_device} as="second" quiet /> },
    { name: t('Source'), cell: ({ source }) => <code>{source}</code> },
    { name: t('As sent'), number: true, cell: ({ value }) => String(value) },
    { name: t('As shown'), number: true, cell: (row) => <Shown preview={row} unit={unit} /> },
  ]
}

function Shown({ preview: { shown, fault }, unit }: { preview: Preview; unit: string | null }) {
  if (fault !== null) return <span className="soft">{FAULT_WORDS[fault]}</span>
  return valueText(shown!, unit)
}
