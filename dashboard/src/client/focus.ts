// Moves the focus to a field of the page.

export function focusField(id: string): void {
  document.getElementById(id)?.focus();
}
