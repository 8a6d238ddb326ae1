import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { toast } from '../toast/Toast.tsx'

type SavingOptions<Answer, Body> = {
  request: (body: Body) => Promise<Answer>
  /** The keys of the queries that show what changes. They are asked again before the rest. */
  refreshes?: readonly QueryKey[]
  /** The text of the success. */
  done?: string | ((answer: Answer, body: Body) => string)
  /** Called at once, before what is shown is asked for again. */
  onAnswer?: (answer: Answer, body: Body) => void
  /** Called after that, if the form is still open. */
  onSaved?: ((answer: Answer, body: Body) => void) | undefined
}

/** A change on the server, which all that shows it follows. */
export function useSaving<Answer, Body = void>(options: SavingOptions<Answer, Body>) {
  const { request, refreshes = [], done, onAnswer, onSaved } = options
  const client = useQueryClient()
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  return useMutation({
    mutationFn: request,
    onSuccess: async (answer: Answer, body: Body) => {
      onAnswer?.(answer, body)
      await Promise.all(refreshes.map((queryKey) => client.invalidateQueries({ queryKey })))
      if (done !== undefined) toast(typeof done === 'string' ? done : done(answer, body))
      if (isOpen.current) onSaved?.(answer, body)
    },
  })
}
