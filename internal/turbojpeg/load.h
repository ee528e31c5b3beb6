// The five functions of the TurboJPEG API (libjpeg-turbo 2.0 and later; the
// ABI of libturbojpeg.so.0) that are used here, declared by hand: neither the
// library nor its header need be there when Fieldmark is built.
#ifndef FIELDMARK_TURBOJPEG_LOAD_H
#define FIELDMARK_TURBOJPEG_LOAD_H

typedef struct {
	void *(*init_decompress)(void);
	int (*decompress_header)(void *handle, const unsigned char *data, unsigned long size,
		int *width, int *height, int *subsampling, int *colourspace);
	int (*decompress)(void *handle, const unsigned char *data, unsigned long size,
		unsigned char *pixels, int width, int pitch, int height, int format, int flags);
	char *(*last_error)(void *handle);
	int (*destroy)(void *handle);
} turbojpeg;

// turbojpeg_load fills the table from the library at path. It returns 0, or
// -1 with a message of at most size bytes.
int turbojpeg_load(turbojpeg *table, const char *path, char *message, int size);

// turbojpeg_decode writes width × height RGBA pixels, the picture scaled to
// that size by the factor the library has for it. full_width and full_height
// are what the caller read in the header. It returns 0, or -1 with a message;
// a warning counts as an error.
int turbojpeg_decode(const turbojpeg *table, const unsigned char *data, unsigned long data_size,
	int full_width, int full_height, unsigned char *pixels, int width, int height, char *message, int size);

#endif
