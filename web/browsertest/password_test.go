package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const passwordField = `document.querySelector("#password")`

// TestPasswords makes an account with the keyboard: how the password would do is said
// while it is typed, where screen readers hear of it, and it can be shown, but is not
// shown any more when it is sent. When it is changed, another browser is told.
func TestPasswords(t *testing.T) {
	t.Parallel()
	tool, data := axe(t), t.TempDir()
	code := invite(t, data)
	url := startOn(t, data, "--sign-in")
	b := open(t)
	b.do(chromedp.Navigate(url+"/join/"+code),
		chromedp.SendKeys(chromedp.CSS("main input[name=name]"), "Ada"),
		chromedp.Focus(chromedp.CSS("#password")))
	says := func(sentence, bar string) {
		t.Helper()
		b.until("it says "+sentence, `document.querySelector("#password-strength[role=status] p")?.innerText === "`+sentence+`" && document.querySelector("#password-strength meter").value === `+bar)
	}
	b.typed("herons")
	says("Too short: 6 more characters.", "0")
	b.gallery("password-short")
	b.typed("herons")
	says("This password repeats itself, or follows the alphabet or the keyboard, and would be tried first. Choose another one.", "0")
	b.typed(" 1987")
	says("It will do. Another word makes it much harder to guess.", "1")
	b.typed(" by the pond #7")
	says("Very hard to guess.", "3")
	b.until("the field has the focus still", `document.activeElement === `+passwordField)

	b.keys(kb.Tab, " ")
	b.until("the password is shown", passwordField+`.type === "text" && document.activeElement.checked`)
	b.wellMade(tool)
	b.gallery("password-shown")
	b.keys(" ")
	b.until("it is hidden", passwordField+`.type === "password"`)
	b.keys(" ")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("main form").addEventListener("submit", () => sessionStorage.setItem("sent as", ` + passwordField + `.type)); null`))
	b.submit("main form button")
	b.until("it is sent hidden", `sessionStorage.getItem("sent as") === "password"`)

	phone := open(t)
	phone.do(chromedp.Navigate(url+"/sign-in"),
		chromedp.SendKeys(chromedp.CSS("#name"), "Ada"),
		chromedp.SendKeys(chromedp.CSS("#password"), "heronsherons 1987 by the pond #7"))
	phone.gallery("sign-in")
	phone.submit("main form button")
	phone.until("it is in", `location.pathname === "/"`)

	b.do(chromedp.Navigate(url+"/account"),
		chromedp.SendKeys(chromedp.CSS("#old"), "heronsherons 1987 by the pond #7"),
		chromedp.SendKeys(chromedp.CSS("#password"), "seven grey wagtails nest"))
	says("Very hard to guess.", "3")
	b.submit("form[action='/account/password'] button")
	b.until("it says when", `[...document.querySelectorAll("main p")].some((p) => p.innerText.startsWith("Last changed") && p.querySelector("time"))`)
	b.wellMade(tool)
	b.gallery("account")

	phone.do(chromedp.Navigate(url + "/account"))
	phone.until("it is told why it is out", `location.pathname === "/sign-in" && document.querySelector("main [role=status]").innerText.includes("which signed you out here")`)
	phone.wellMade(tool)
	phone.gallery("signed-out")
	phone.do(chromedp.Evaluate[chromedp.Void](`document.cookie = "language=de; path=/"; null`), chromedp.Navigate(url+"/sign-in"))
	phone.gallery("signed-out-de")
	b.do(chromedp.Evaluate[chromedp.Void](`document.cookie = "language=de; path=/"; null`), chromedp.Navigate(url+"/account"),
		chromedp.SendKeys(chromedp.CSS("#password"), "leavemealone"))
	b.until("it is judged in German", `document.querySelector("#password-strength p")?.innerText.startsWith("Dieses Passwort ist von Websites bekannt")`)
	b.gallery("account-de")
}
