import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { get } from './client.ts'
import { every } from './refresh.ts'

export type Asking<Answer> = Omit<
  UseQueryOptions<Answer>,
  'queryKey' | 'queryFn' | 'refetchInterval'
> & {
  everyMs?: number | false
}

/** The answer of the server to a path, which is asked for again `everyMs` while it is shown. */
export function useAnswer<Answer>(
  queryKey: QueryKey,
  path: string,
  { everyMs = false, ...options }: Asking<Answer> = {},
) {
  return useQuery({
    ...options,
    queryKey,
    queryFn: ({ signal }) => get<Answer>(path, signal),
    refetchInterval: every(everyMs),
  })
}
