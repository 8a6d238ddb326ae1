import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { Credential, KeyPatch } from '../api/types.ts'
import { toast } from '../ui/dialog/Toast.tsx'

/** Saves a change of a key. `done`: the text of the success. */
export function useSaveKey(
  organization: number,
  { id }: Credential,
  done: string,
  onSaved: () => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: KeyPatch) =>
      change('PATCH', `/organizations/${organization}/keys/${id}`, body),
    onSuccess: () => {
      toast(done)
      onSaved()
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
}
