import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId, useRef, useState } from 'react'
import { t } from '../language/text.ts'
import type { Names } from './labels/names.ts'
import type { ObjectName } from './labels/object-names.ts'

const MAX_FOUND = 30

type Props = {
  organization: number
  names: Names
  /** Open even without a search text, where the list replaces the map. */
  always: boolean
  onChoose(object: ObjectName): void
}

/** Finds objects by name, ident or plate. A way to an object without a pointer. */
export function ObjectSearch({ organization, names, always, onChoose }: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState(false)
  const deferred = useDeferredValue(typed)
  const root = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = open || always
  const found = useQuery({
    queryKey: ['map', organization, 'names', deferred],
    queryFn: () => names.find(deferred, MAX_FOUND),
    enabled: shown,
    staleTime: 30_000,
    retry: 1,
    placeholderData: (before) => before,
  })

  function choose(object: ObjectName): void {
    setOpen(false)
    setTyped('')
    onChoose(object)
  }

  /** Arrow keys move through the results, Escape closes them. */
  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.key === 'Escape') {
      setOpen(false)
      input.current?.focus()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const stops = [...root.current!.querySelectorAll<HTMLElement>('input, li button')]
    const at = stops.indexOf(document.activeElement as HTMLElement)
    stops[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the field and buttons within
    <div
      className="fleetmap-search fleetmap-panel"
      ref={root}
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false)
      }}
    >
      <label htmlFor={id} className="fleetmap-hidden">
        {t('Find an object by name, ident or plate')}
      </label>
      <input
        id={id}
        ref={input}
        type="search"
        placeholder={t('Find an object')}
        autoComplete="off"
        value={typed}
        onFocus={() => setOpen(true)}
        onChange={(event) => {
          setTyped(event.target.value)
          setOpen(true)
        }}
        onKeyDown={(event) => {
          const first = found.data?.hits[0]
          if (event.key === 'Enter' && first !== undefined) choose(first)
        }}
      />
      {shown && <Found found={found} typed={deferred} onChoose={choose} />}
    </div>
  )
}

type Finding = {
  isError: boolean
  error: Error | null
  data?: { hits: ObjectName[]; total: number } | undefined
  refetch(): unknown
}

type FoundProps = { found: Finding; typed: string; onChoose(object: ObjectName): void }

function Found({ found, typed, onChoose }: FoundProps) {
  return (
    <div className="fleetmap-found">
      <p role="status">{statusOf(found, typed)}</p>
      {found.isError && (
        <button type="button" onClick={() => found.refetch()}>
          {t('Try again')}
        </button>
      )}
      <ul>
        {found.data?.hits.map((object) => (
          <li key={object.id}>
            <button type="button" onClick={() => onChoose(object)}>
              <span>{object.name}</span>
              <small>
                {object.ident}
                {object.plate === null ? '' : ` · ${object.plate}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function statusOf({ isError, error, data }: Finding, typed: string): string {
  if (isError) return error?.message ?? t('The list of objects could not be loaded.')
  if (data === undefined) return t('Loading the list of objects…')
  const { hits, total } = data
  if (total === 0) {
    return typed === ''
      ? t('There are no objects yet.')
      : t('No object has this name, ident or plate.')
  }
  if (hits.length === total) return t('{{count, number}} objects', { count: total })
  return t('{{count, number}} objects, the first {{shown}} shown', {
    count: total,
    shown: hits.length,
  })
}
