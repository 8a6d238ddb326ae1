import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { ApiError, Unreachable } from '../../api/error.ts'
import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { Empty } from './Empty.tsx'
import { Note } from './Note.tsx'
import { Skeleton } from './Skeleton.tsx'

/** The part of a query that is used here. */
type Query<Data> = {
  data: Data | undefined
  error: Error | null
  isFetching: boolean
  errorUpdateCount: number
}

type LoadedProps<Data> = {
  query: Query<Data>
  children: (data: Data) => ReactNode
  /** Lines of the placeholder. */
  lines?: number
  /** Shown in place of an empty list. */
  none?: ReactNode
}

/** Shows the result of a query. Before that a placeholder; after a failure, the reason and what to do. */
export function Loaded<Data>({ query, children, lines, none }: LoadedProps<Data>) {
  const retry = useRetry()
  const last = useRef<Error>(null)
  if (query.error !== null) last.current = query.error
  if (query.data === undefined) {
    // While a failed query asks again it has no error. Its error card stays until the answer comes.
    const error = query.errorUpdateCount > 0 ? last.current : null
    if (error === null) return <Skeleton {...(lines === undefined ? {} : { lines })} />
    return <Failure error={error} query={query} />
  }
  return (
    <>
      {query.error !== null && !isSignedOut(query.error) && (
        <Note kind="warn">
          <span className="row between">
            <span>
              <strong>{t('This may be out of date.')}</strong> {titleOf(query.error)}.{' '}
              {reasonOf(query.error)}
            </span>
            <Button small busy={query.isFetching} onClick={retry}>
              {t('Try again')}
            </Button>
          </span>
        </Note>
      )}
      {none !== undefined && isEmpty(query.data) ? none : children(query.data)}
    </>
  )
}

type FailureProps = {
  error: Error
  query: Pick<Query<unknown>, 'isFetching'>
}

function Failure({ error, query }: FailureProps) {
  const retry = useRetry()
  // The sign-in dialog covers this. After it, the query runs again.
  if (isSignedOut(error)) return <Skeleton />
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Empty title={t('Not found')}>
        {t('It was deleted, or the address is wrong. Go back to the list and look for it there.')}
      </Empty>
    )
  }
  return (
    <Empty
      title={titleOf(error)}
      action={
        <Button look="primary" busy={query.isFetching} onClick={retry}>
          {t('Try again')}
        </Button>
      }
    >
      {reasonOf(error)}
    </Empty>
  )
}

/** Queries usually fail together, so one click repeats all of them. */
function useRetry(): () => void {
  const client = useQueryClient()
  return () =>
    void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null })
}

function titleOf(error: Error): string {
  if (error instanceof Unreachable) return t('The server does not respond')
  if (error instanceof ApiError && error.status === 503) return t('Not available right now')
  return t('Something went wrong')
}

function reasonOf(error: Error): string {
  if (error instanceof Unreachable) {
    return t(
      'Check that fleetgate serve is running and that this computer can reach it. An SSH tunnel may have closed.',
    )
  }
  if (error instanceof ApiError && error.status === 503) {
    return t('{{message}} The database may be down or slow. See the server’s log for details.', {
      message: error.message,
    })
  }
  return error.message
}

function isEmpty(data: unknown): boolean {
  return (data as { items?: readonly unknown[] } | null)?.items?.length === 0
}

function isSignedOut(error: Error): boolean {
  return error instanceof ApiError && error.status === 401
}
