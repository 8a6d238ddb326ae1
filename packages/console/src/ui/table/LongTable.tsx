import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useRef } from 'react'
import { t } from '../../language/text.ts'
import { SelectField } from '../form/Field.tsx'
import { Icon } from '../Icon.tsx'
import { useNarrow } from '../narrow.ts'
import { MenuHeading } from './Table.tsx'
import { type Cells, type RowUse, TableRow } from './TableRow.tsx'
import './Table.css'
import './LongTable.css'

/** As the style sheet has it: rows are all alike, so that their place is known without measuring. */
const ROW_HEIGHT = 42
/** The height of a card until it is measured. */
const CARD_HEIGHT = 170
/** Rows around those that are seen, so that scrolling by a little shows no gap. */
const BEYOND = 12
/** A table with fewer rows is as high as they are. */
const MANY_ROWS = 12

export type LongColumn<Row, Key> = Cells<Row> & { by: Key }

export type Sorting<Key> = { by: Key; descending: boolean }

type LongTableProps<Row, Key> = RowUse<Row> & {
  /** The table's name, for screen readers. */
  label: string
  /** The first column names the row. */
  columns: readonly LongColumn<Row, Key>[]
  rows: readonly Row[]
  rowKey: (row: Row) => number
  sorting: Sorting<Key>
  onSort: (sorting: Sorting<Key>) => void
}

/**
 * A sorted table of tens of thousands of rows: only those in sight are in the page. It scrolls in a frame; on a
 * narrow screen each row is a card, and the page scrolls.
 */
export function LongTable<Row, Key extends string>(props: LongTableProps<Row, Key>) {
  const { label, columns, rows, rowKey, href, menu, sorting, onSort } = props
  const frame = useRef<HTMLElement>(null)
  const narrow = useNarrow()
  const { shown, before, after, measure } = useRowsInSight(frame, rows, rowKey, narrow)
  const width = columns.length + (menu === undefined ? 0 : 1)
  return (
    <>
      {narrow && rows.length > 1 && (
        <SortField columns={columns} sorting={sorting} onSort={onSort} />
      )}
      <section
        ref={frame}
        className={rows.length < MANY_ROWS ? 'long-frame few' : 'long-frame'}
        aria-label={label}
        // A reader without a mouse scrolls it by the keyboard.
        {...(narrow ? {} : { tabIndex: 0 })}
      >
        <table
          className="table table-stack long"
          aria-label={label}
          aria-rowcount={rows.length + 1}
        >
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <Heading
                  key={column.by}
                  column={column}
                  sorting={sorting}
                  onSort={narrow ? undefined : onSort}
                />
              ))}
              {menu !== undefined && <MenuHeading />}
            </tr>
          </thead>
          <tbody>
            <Gap height={before} columns={width} />
            {shown.map(({ index, key }) => (
              <TableRow
                key={key}
                row={rows[index]!}
                rowIndex={index + 2}
                columns={columns}
                href={href}
                menu={menu}
                measure={narrow ? { ref: measure, index } : undefined}
              />
            ))}
            <Gap height={after} columns={width} />
          </tbody>
        </table>
      </section>
    </>
  )
}

/** The rows that are to be in the page, and the height of those before and after them. */
function useRowsInSight<Row>(
  frame: React.RefObject<HTMLElement | null>,
  rows: readonly Row[],
  rowKey: (row: Row) => number,
  narrow: boolean,
) {
  const list = {
    count: rows.length,
    overscan: BEYOND,
    // biome-ignore lint/correctness/useExhaustiveDependencies: the key of a row does not change
    getItemKey: useCallback((index: number) => rowKey(rows[index]!), [rows]),
  }
  const inFrame = useVirtualizer({
    ...list,
    enabled: !narrow,
    estimateSize: () => ROW_HEIGHT,
    getScrollElement: () => frame.current,
  })
  const inPage = useWindowVirtualizer<HTMLTableRowElement>({
    ...list,
    enabled: narrow,
    estimateSize: () => CARD_HEIGHT,
    scrollMargin: narrow ? (frame.current?.offsetTop ?? 0) : 0,
  })
  const virtual = narrow ? inPage : inFrame
  const shown = virtual.getVirtualItems()
  const { scrollMargin } = virtual.options
  return {
    shown,
    before: (shown[0]?.start ?? scrollMargin) - scrollMargin,
    after: virtual.getTotalSize() - (shown.at(-1)?.end ?? scrollMargin) + scrollMargin,
    measure: inPage.measureElement,
  }
}

type HeadingProps<Row, Key> = {
  column: LongColumn<Row, Key>
  sorting: Sorting<Key>
  /** Absent: cards have a field instead. */
  onSort: ((sorting: Sorting<Key>) => void) | undefined
}

function Heading<Row, Key extends string>({ column, sorting, onSort }: HeadingProps<Row, Key>) {
  const { by, name, number } = column
  const current = sorting.by === by
  const direction = sorting.descending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      className={number === true ? 'number' : undefined}
      aria-sort={current ? direction : undefined}
    >
      {onSort === undefined ? (
        name
      ) : (
        <button
          type="button"
          className="sort"
          onClick={() => onSort({ by, descending: current && !sorting.descending })}
        >
          {name}
          <Icon name={current && sorting.descending ? 'down' : 'up'} size={12} />
        </button>
      )}
    </th>
  )
}

type SortFieldProps<Row, Key> = Pick<LongTableProps<Row, Key>, 'columns' | 'sorting' | 'onSort'>

/** The order of cards, which have no headings. */
function SortField<Row, Key extends string>({
  columns,
  sorting,
  onSort,
}: SortFieldProps<Row, Key>) {
  return (
    <div className="sort-field">
      <SelectField
        label={t('Sort by')}
        options={columns.map(({ by, name }) => [by, name] as const)}
        value={sorting.by}
        onChange={(by) => onSort({ ...sorting, by })}
      />
      <button
        type="button"
        className="button button-icon"
        aria-label={sorting.descending ? t('Sort ascending') : t('Sort descending')}
        onClick={() => onSort({ ...sorting, descending: !sorting.descending })}
      >
        <Icon name={sorting.descending ? 'down' : 'up'} />
      </button>
    </div>
  )
}

/** The room of the rows that are not in the page. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr className="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}
