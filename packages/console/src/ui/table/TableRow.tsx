import type { MouseEvent, ReactNode, Ref } from 'react'
import { Link } from 'wouter'
import { type RowAction, RowMenu } from './RowMenu.tsx'

/** A column of both kinds of tables. */
export type Cells<Row> = {
  /** The column's heading, and the label of its cells where rows are cards. */
  name: string
  cell: (row: Row) => ReactNode
  number?: boolean
  /** It may have long words, such as addresses, which break then. On a card it has a line of its own. */
  breaks?: boolean
  /** Cards do without it. */
  wideOnly?: boolean
  /** As narrow as its content. */
  fit?: boolean
  /** Its cells are the links of rows, instead of those of the first column. */
  leads?: boolean
  /** A column of buttons. It is shown to people who may change something. */
  actions?: boolean
}

/** Uses of the rows of both kinds of tables. */
export type RowUse<Row> = {
  /** Where a row leads. One of its cells is the link, and a click anywhere in the row follows it. */
  href?: ((row: Row) => string | null) | undefined
  /** The actions of a row, in a menu at its end. */
  menu?: ((row: Row) => { label: string; items: readonly RowAction[] }) | undefined
}

type TableRowProps<Row> = RowUse<Row> & {
  row: Row
  columns: readonly Cells<Row>[]
  isOff?: boolean
  /** Its number in a table of which only a part is in the page: the heading is the first. */
  rowIndex?: number
  measure?: { ref: Ref<HTMLTableRowElement>; index: number } | undefined
}

export function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, columns, href, menu, isOff, rowIndex, measure } = props
  const to = href?.(row) ?? null
  const names = [isOff === true ? 'off' : '', to === null ? '' : 'leads']
  const actions = menu?.(row)
  const leading = columns.find(({ leads }) => leads) ?? columns[0]
  const content = (column: Cells<Row>) =>
    to === null || column !== leading ? (
      column.cell(row)
    ) : (
      <Link href={to} className="row-link">
        {column.cell(row)}
      </Link>
    )
  return (
    <tr
      ref={measure?.ref}
      data-index={measure?.index}
      aria-rowindex={rowIndex}
      className={names.filter((each) => each !== '').join(' ') || undefined}
      onClick={to === null ? undefined : follow}
      onAuxClick={to === null ? undefined : follow}
    >
      {columns.map((column, index) =>
        index === 0 ? (
          <th key={column.name} scope="row" className={menu && 'has-menu'}>
            {content(column)}
          </th>
        ) : (
          <td
            key={column.name}
            className={classOf(column)}
            data-label={column.actions === true ? undefined : column.name}
          >
            {content(column)}
          </td>
        ),
      )}
      {actions !== undefined && (
        <td className="row-menu fit">
          <RowMenu {...actions} />
        </td>
      )}
    </tr>
  )
}

/**
 * A click in a row is one on its link, with the same keys. A click on a control is not, nor is the end of a
 * selection of text, nor a click in a menu, which is not part of the row on the page.
 */
function follow(event: MouseEvent<HTMLTableRowElement>): void {
  const { currentTarget: row, target, button, metaKey, shiftKey } = event
  const isControl = (target as Element).closest('a, button, input, select, label') !== null
  if (isControl || !row.contains(target as Element) || button === 2) return
  if (getSelection()?.isCollapsed === false) return
  // The middle button opens another tab, as the control key does.
  const ctrlKey = event.ctrlKey || button === 1
  const keys = { ctrlKey, metaKey: metaKey || button === 1, shiftKey }
  const click = new window.MouseEvent('click', { ...keys, bubbles: true, cancelable: true })
  row.querySelector('.row-link')?.dispatchEvent(click)
}

export function classOf<Row>(column: Cells<Row>): string | undefined {
  const { number, fit, breaks, wideOnly, actions } = column
  const names = [
    number === true ? 'number' : '',
    fit === true || actions === true ? 'fit' : '',
    breaks === true ? 'breaks' : '',
    wideOnly === true ? 'wide-only' : '',
    actions === true ? 'table-actions' : '',
  ].filter((each) => each !== '')
  return names.length === 0 ? undefined : names.join(' ')
}
