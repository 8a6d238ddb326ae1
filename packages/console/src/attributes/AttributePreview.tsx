import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AttributeEntry } from '../../../server/src/base/domain/attributes/catalogue.ts'
import {
  FAULT_WORDS,
  type Preview,
  previewOf,
} from '../../../server/src/base/domain/attributes/shown-value.ts'
import { get } from '../api/client.ts'
import type { OrganizationSummary, SentName, SentValues } from '../api/types.ts'
import { TextField } from '../ui/form/Field.tsx'
import { PickObjects } from '../ui/form/PickObjects.tsx'
import { counted } from '../ui/format.ts'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { dayOf, dayRange, isDay } from '../ui/time/days.ts'
import { Time } from '../ui/time/Time.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import { valueText } from './words.ts'

type AttributePreviewProps = {
  organization: OrganizationSummary
  entry: AttributeEntry
  sent: readonly SentName[]
}

type Row = SentValues['items'][number]

/** Rows of the preview, at even distances. */
const ROWS = 12

/** The values of a real day, as the device sent them and as answers would show them. */
export function AttributePreview({ organization, entry, sent }: AttributePreviewProps) {
  const [utc] = useUtc()
  const newest = sent
    .filter(({ name, value_at }) => entry.sources.includes(name) && value_at !== null)
    .sort((a, b) => (a.value_at! < b.value_at! ? 1 : -1))[0]
  const [chosen, setChosen] = useState<number | null>(null)
  const [day, setDay] = useState<string | null>(null)
  const object = chosen ?? newest?.object ?? null
  const date = day ?? dayOf(newest?.value_at ?? Date.now(), utc)
  const values = useSentValues(organization.id, object, entry.sources, dayRange(date, utc))
  return (
    <section className="stack-small" aria-label="Preview">
      <h3>The values of a day</h3>
      <div className="columns">
        <PickObjects
          organization={organization}
          label="Object"
          placeholder="Search by name or ident"
          chosen={object === null ? [] : [object]}
          onChange={(ids) => setChosen(ids.length === 0 ? null : Number(ids.at(-1)))}
        />
        <TextField
          label="Day"
          type="date"
          value={date}
          onChange={(next) => isDay(next) && setDay(next)}
        />
      </div>
      <Problem error={values.error} />
      {values.data !== undefined && <Values entry={entry} values={values.data} />}
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
  return useQuery({
    queryKey: ['organization', organization, 'object', object, 'sent-values', `${asked}`],
    queryFn: ({ signal }) =>
      get<SentValues>(
        `/organizations/${organization}/objects/${object}/attributes/values?${asked}`,
        signal,
      ),
    enabled: object !== null && sources.length > 0,
    placeholderData: keepPreviousData,
  })
}

function Values({ entry, values }: { entry: AttributeEntry; values: SentValues }) {
  const { items, positions } = values
  if (items.length === 0) return <p className="soft">The object sent no such value on this day.</p>
  const step = Math.max(1, (items.length - 1) / (ROWS - 1))
  const rows = Array.from(
    { length: Math.min(items.length, ROWS) },
    (_, index) => items[Math.round(index * step)]!,
  )
  const columns: Column<Row>[] = [
    { name: 'Time', cell: ({ time_device }) => <Time value={time_device} as="second" quiet /> },
    { name: 'Source', cell: ({ values }) => <code>{previewOf(entry, values).source}</code> },
    { name: 'As sent', number: true, cell: (row) => String(previewOf(entry, row.values).value) },
    {
      name: 'As shown',
      number: true,
      cell: (row) => <Shown preview={previewOf(entry, row.values)} unit={entry.unit} />,
    },
  ]
  return (
    <>
      <Table
        label="Values of the day"
        columns={columns}
        rows={rows}
        rowKey={({ time_device }) => time_device}
        stays
      />
      <p className="soft small">
        {counted(positions, 'position')} of this day have it.
        {positions > rows.length && ` These are ${rows.length} of them.`} {leftOut(entry, values)}
      </p>
    </>
  )
}

function Shown({ preview: { shown, fault }, unit }: { preview: Preview; unit: string | null }) {
  if (fault !== null) return <span className="soft">{FAULT_WORDS[fault]}</span>
  return valueText(shown!, unit)
}

/** `3 of 12 values are not shown.` */
function leftOut(entry: AttributeEntry, { items }: SentValues): string {
  const faults = items.filter(({ values }) => previewOf(entry, values).fault !== null)
  return faults.length === 0
    ? 'All of them are shown.'
    : `${faults.length} of ${counted(items.length, 'value')} would not be shown.`
}
