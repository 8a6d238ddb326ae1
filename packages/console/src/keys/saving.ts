import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { Credential, KeyPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import { toast } from '../ui/dialog/Toast.tsx'

/** Saves a change of a key. `what`: the part of the key that changes. */
export function useSaveKey(
  organization: number,
  { id, name }: Credential,
  what: string,
  onSaved: () => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: KeyPatch) =>
      change('PATCH', `/organizations/${organization}/keys/${id}`, body),
    onSuccess: () => {
      toast(t('The {{what}} of {{name}} was changed.', { what, name }))
      onSaved()
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
}
