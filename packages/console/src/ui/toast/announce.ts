/** A message for screen readers that does not move the focus. */
let region: HTMLElement | undefined

export function announce(message: string): void {
  region ??= made()
  // Screen readers ignore an unchanged text, so clear it first.
  region.textContent = ''
  setTimeout(() => {
    if (region !== undefined) region.textContent = message
  }, 60)
}

function made(): HTMLElement {
  const element = document.createElement('div')
  element.className = 'visually-hidden'
  element.setAttribute('role', 'status')
  // Dialogs hide everything outside from screen readers, but not this element.
  element.setAttribute('data-live-announcer', 'true')
  document.body.append(element)
  return element
}
