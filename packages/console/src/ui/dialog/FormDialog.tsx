import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { Form, type FormProps } from '../form/Form.tsx'
import { Actions, Dialog } from './Dialog.tsx'

type FormDialogProps = FormProps & {
  title: string
  /** The label of the button that submits. */
  action: string
  wide?: boolean
  onClose: () => void
}

export function FormDialog({ title, action, wide, onClose, children, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} wide={wide} onClose={onClose}>
      <Form {...form}>
        {children}
        <Actions>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={form.saving.isPending}>
            {action}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
