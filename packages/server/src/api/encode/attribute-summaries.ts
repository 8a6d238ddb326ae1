import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { numberOf } from '../../domain/attributes/shown-value.ts'
import { toJson } from '../../domain/common/json.ts'
import type {
  NumberSummary,
  ShareSummary,
  Summaries,
  Summary,
} from '../../journeys/days/attribute-spans.ts'
import { partColumn } from '../formats/attribute-forms.ts'
import type { Row, RowKind } from '../formats/row-form.ts'
import { DECIMALS, rounded } from './numbers.ts'

/** The parts of a summary that rows show: at the ends of a stop, or all over the time of a trip or a day. */
export type SummaryParts = 'ends' | 'all'

/** An attribute of a row, by the names of its parts. */
type Part = { readonly name: string; of(summary: Summary): unknown }

type Column = { readonly heading: string; value(summary: Summary): unknown }

/**
 * Rows with the attributes of their times: an object after the other fields, or columns in a table. `of`: those of an item,
 * by entry.
 */
export function withSummaries<Item>(
  kind: RowKind<Item>,
  entries: readonly AttributeEntry[],
  parts: SummaryParts,
  of: (item: Item) => Summaries,
): RowKind<Item> {
  const { columns, row, json = (item) => toJson(row(item)) } = kind
  const members = entries.map((entry) => partsOf(entry, parts))
  const cells = entries.map((entry) => columnsOf(entry, parts))
  return {
    ...kind,
    columns: [...columns, ...cells.flatMap((each) => each.map(({ heading }) => heading))],
    json(item) {
      const attributes: Record<string, Row> = {}
      for (const [index, summary] of of(item).entries()) {
        const shown = summary && shownParts(members[index]!, summary)
        if (shown !== null) attributes[entries[index]!.name] = shown
      }
      return `${json(item).slice(0, -1)},"attributes":${toJson(attributes)}}`
    },
    row(item) {
      const all: Record<string, unknown> = { ...row(item) }
      for (const [index, summary] of of(item).entries()) {
        if (summary === null) continue
        for (const { heading, value } of cells[index]!) all[heading] = value(summary)
      }
      return all
    },
  }
}

/** Null: the summary has none of these parts. */
function shownParts(parts: readonly Part[], summary: Summary): Row | null {
  const shown = parts.flatMap(({ name, of }) => {
    const value = of(summary)
    return value === null ? [] : [[name, value] as const]
  })
  return shown.length === 0 ? null : Object.fromEntries(shown)
}

function partsOf(entry: AttributeEntry, parts: SummaryParts): Part[] {
  if (entry.type !== 'number') return parts === 'all' ? [VALUES] : ENDS
  const number = (name: keyof NumberSummary): Part => ({
    name,
    of(summary) {
      const units = (summary as NumberSummary)[name]
      return units === null ? null : numberOf(units, entry)
    },
  })
  const names =
    parts === 'all' ? (['first', 'last', 'min', 'max'] as const) : (['first', 'last'] as const)
  return [...names, ...(entry.isCounter ? (['gain'] as const) : [])].map(number)
}

const ENDS: Part[] = [
  { name: 'first', of: (summary) => summary.first },
  { name: 'last', of: (summary) => summary.last },
]

const VALUES: Part = { name: 'values', of: (summary) => sharesOf(summary as ShareSummary) }

function sharesOf({ values }: ShareSummary) {
  return values.map(({ value, share }) => ({ value, share: rounded(share, DECIMALS.share) }))
}

/** The columns of a table: one for each part, and for values the one that held longest before all of them. */
function columnsOf(entry: AttributeEntry, parts: SummaryParts): Column[] {
  const hasValues = entry.type !== 'number' && parts === 'all'
  const all = [...(hasValues ? [LONGEST] : []), ...partsOf(entry, parts)]
  return all.map(({ name, of }) => ({ heading: partColumn(entry.name, name), value: of }))
}

const LONGEST: Part = {
  name: 'longest',
  of: (summary) => (summary as ShareSummary).values[0]?.value ?? null,
}
