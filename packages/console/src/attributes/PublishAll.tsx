import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { Attributes } from '../api/types.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { Form } from '../ui/form/Form.tsx'
import { counted } from '../ui/format.ts'

type PublishAllProps = {
  organization: number
  attributes: Attributes | undefined
  onClose: () => void
}

/** Shows everything that is known to keys, after a look at the names. */
export function PublishAll({ organization, attributes, onClose }: PublishAllProps) {
  const client = useQueryClient()
  const publish = useMutation({
    mutationFn: () =>
      change<Attributes>('POST', `/organizations/${organization}/attributes/publish`, {
        names: null,
      }),
    onSuccess: ({ items }) => {
      toast(`Keys see ${counted(items.length, 'attribute')}.`)
      onClose()
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
  const hidden = attributes?.items.filter(({ is_public }) => !is_public) ?? []
  const unmapped = attributes?.sent.filter((each) => each.attributes.length === 0) ?? []
  return (
    <Dialog title="Publish all attributes?" onClose={onClose}>
      <Form error={publish.error} onSubmit={() => publish.isPending || publish.mutate()}>
        {hidden.length > 0 && (
          <p>Keys will also see {hidden.map(({ label }) => label).join(', ')}.</p>
        )}
        {unmapped.length > 0 && (
          <p>
            {counted(unmapped.length, 'name')} that devices send will become public attributes:{' '}
            {unmapped.map(({ name }) => name).join(', ')}.
          </p>
        )}
        {hidden.length + unmapped.length === 0 && <p>All attributes are public already.</p>}
        <p className="soft small">
          Labels and units of well-known names are set. Change them afterwards if a device uses
          others.
        </p>
        <SubmitOrCancel action="Publish all" isBusy={publish.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
