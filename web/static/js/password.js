// What is typed into the password fields of a form is shown while its box is ticked. It
// is hidden again before it is sent: browsers keep what stood in fields that are not
// for passwords.
for (const box of document.querySelectorAll("[data-reveal]")) {
  const fields = box.form.querySelectorAll("input[type=password]");
  const show = (shown) => {
    box.checked = shown;
    for (const field of fields) field.type = shown ? "text" : "password";
  };
  box.addEventListener("change", () => show(box.checked));
  box.form.addEventListener("submit", () => show(false));
}
