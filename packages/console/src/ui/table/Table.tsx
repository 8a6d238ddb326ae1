import { useState } from 'react'
import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { useMayChange } from '../changing.tsx'
import { count } from '../format.ts'
import { type Cells, classOf, type RowUse, TableRow } from './TableRow.tsx'
import './Table.css'

export type Column<Row> = Cells<Row>

type TableProps<Row> = RowUse<Row> & {
  /** The table's name, for screen readers. */
  label: string
  /** The first column names the row. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  /** Marks rows that are no longer valid, such as revoked keys. */
  isOff?: (row: Row) => boolean
  /** A table with few narrow columns stays a table on a narrow screen. */
  stays?: boolean
}

/** Rows at first: a page of thousands of rows takes a browser many seconds. */
const FIRST_ROWS = 200

/** A table of some rows, and more on demand. On a narrow screen each row is a card, unless it `stays`. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns: all, rows, rowKey, isOff, stays, href, menu } = props
  const mayChange = useMayChange()
  const [shown, setShown] = useState(FIRST_ROWS)
  const columns = all.filter(({ actions }) => actions !== true || mayChange)
  return (
    <>
      <div
        className="table-frame"
        // A table wider than the screen scrolls, with the keyboard too.
        {...(stays === true ? { role: 'group', 'aria-label': label, tabIndex: 0 } : {})}
      >
        <table className={stays === true ? 'table' : 'table table-stack'} aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" className={classOf(column)}>
                  {column.actions === true ? (
                    <span className="visually-hidden">{column.name}</span>
                  ) : (
                    column.name
                  )}
                </th>
              ))}
              {menu !== undefined && <MenuHeading />}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <TableRow
                key={rowKey(row)}
                row={row}
                columns={columns}
                isOff={isOff?.(row) === true}
                href={href}
                menu={menu}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <div className="row">
          <span className="soft small">
            {t('{{shown}} of {{length}}', { shown: count(shown), length: count(rows.length) })}
          </span>
          <Button small onClick={() => setShown(shown + FIRST_ROWS * 5)}>
            {t('Show more')}
          </Button>
        </div>
      )}
    </>
  )
}

/** Above the menus of rows. Only screen readers get its name. */
export function MenuHeading() {
  return (
    <th scope="col" className="fit">
      <span className="visually-hidden">{t('Actions')}</span>
    </th>
  )
}
