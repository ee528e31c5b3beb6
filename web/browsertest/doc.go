// Package browsertest walks the paths of people through the real program in a
// real browser: Chromium, driven by chromedp. It skips, and says so, where
// Chromium or ONNX Runtime is not to be found.
//
// With FIELDMARK_SCREENSHOTS set to a folder, it leaves pictures of each page
// there, at 1280 and 390 pixels, light and dark.
package browsertest
