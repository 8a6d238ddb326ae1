import { useMemo } from 'react'
import { useAddress } from '../page/address.ts'
import type { LongColumn, Sorting } from './LongTable.tsx'
import { compared, sortingOf, textOf } from './sorting.ts'

/** The properties of a table whose rows have the order that the address names, by the fields of its columns. */
export function useSortedRows<Row, Key extends keyof Row & string>(
  rows: readonly Row[],
  columns: readonly LongColumn<Row, Key>[],
  first: Sorting<Key>,
) {
  const [address, change] = useAddress()
  const keys = columns.map((column) => column.by)
  const sorting = sortingOf(address.get('sort'), keys, first)
  const { by, descending } = sorting
  const sorted = useMemo(() => {
    const sign = descending ? -1 : 1
    const sortValue = (row: Row) => (row[by] ?? null) as string | number | null
    return rows.toSorted((one, other) => compared(sortValue(one), sortValue(other), sign))
  }, [rows, by, descending])
  return {
    columns,
    rows: sorted,
    sorting,
    onSort: (next: Sorting<Key>) => change({ sort: textOf(next, first) }),
  }
}
