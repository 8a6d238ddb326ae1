/** What screen readers are told without the focus going there. */
let region: HTMLElement | undefined

export function announce(message: string): void {
  region ??= made()
  // The same words again would be no change, and go unheard.
  region.textContent = ''
  setTimeout(() => {
    if (region !== undefined) region.textContent = message
  }, 60)
}

function made(): HTMLElement {
  const element = document.createElement('div')
  element.className = 'visually-hidden'
  element.setAttribute('role', 'status')
  // Dialogs hide what is beside them from screen readers, but not this.
  element.setAttribute('data-live-announcer', 'true')
  document.body.append(element)
  return element
}
